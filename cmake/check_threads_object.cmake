# SPDX-License-Identifier: Apache-2.0

# Fails when the object of the runtime for programs with threads (-D OBJECT=, read by -D NM=) asks a program for names
# of Lockkeeper's own: no program has them.
execute_process(COMMAND "${NM}" -u "${OBJECT}" OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "_Z[A-Z]*N[A-Z]*10lockkeeper[^\n]*" missing "${names}")
if(missing)
  message(FATAL_ERROR "LOCKKEEPER_THREADS_JUDGE in cmake/LockkeeperThreads.cmake lacks the sources of ${missing}")
endif()
