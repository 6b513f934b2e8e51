build/selftests/gpu/model_compute.o: model_compute.c model_wave.h model.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h
