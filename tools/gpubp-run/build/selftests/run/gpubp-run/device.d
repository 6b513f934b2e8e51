build/selftests/run/gpubp-run/device.o: device.c internal.h elffile.h \
 gpubp_run.h /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h
