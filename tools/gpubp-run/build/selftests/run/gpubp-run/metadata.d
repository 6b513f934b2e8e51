build/selftests/run/gpubp-run/metadata.o: metadata.c metadata.h \
 gpubp_run.h /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h msgpack.h
