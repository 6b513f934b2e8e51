build/selftests/gpu/model.o: model.c model_wave.h model.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h
