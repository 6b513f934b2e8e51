build/selftests/run/gpubp-run/types.o: types.c types.h
