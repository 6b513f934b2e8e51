build/selftests/run/gpubp-run/dispatch.o: dispatch.c internal.h elffile.h \
 gpubp_run.h /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h
