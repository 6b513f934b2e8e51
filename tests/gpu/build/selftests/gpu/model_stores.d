build/selftests/gpu/model_stores.o: model_stores.c model_wave.h model.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h
