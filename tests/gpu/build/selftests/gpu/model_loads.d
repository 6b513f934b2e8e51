build/selftests/gpu/model_loads.o: model_loads.c model_wave.h model.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h
