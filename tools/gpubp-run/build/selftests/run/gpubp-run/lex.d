build/selftests/run/gpubp-run/lex.o: lex.c lex.h gpubp_run.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp.h \
 /var/tmp/wt/H/include/uapi/linux/gpubp_sim.h
