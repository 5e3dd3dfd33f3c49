# SPDX-License-Identifier: Apache-2.0

# The executable `lockkeeper-mpi`, for those who ask for it: `cmake -D LOCKKEEPER_MPI=ON`.
function(lockkeeper_mpi_command)
  if(NOT LOCKKEEPER_MPI)
    return()
  endif()
  find_package(MPI COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "LOCKKEEPER_MPI needs an MPI with its compiler, as Debian's libopenmpi-dev: "
      "tools/setup.sh mpi installs it")
  endif()
  add_executable(lockkeeper-mpi
    "${PROJECT_SOURCE_DIR}/mpi/main.cpp"
    "${PROJECT_SOURCE_DIR}/mpi/mpi_ranks.cpp"
    "${PROJECT_SOURCE_DIR}/mpi/rank_arguments.cpp")
  lockkeeper_warnings(lockkeeper-mpi)
  target_link_libraries(lockkeeper-mpi PRIVATE lockkeeper_app MPI::MPI_CXX)
  # The functions of C, not those of C++ that MPI has given up.
  target_compile_definitions(lockkeeper-mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  set_target_properties(lockkeeper-mpi PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  if(PROJECT_IS_TOP_LEVEL)
    install(TARGETS lockkeeper-mpi RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
  if(LOCKKEEPER_TESTS AND Python3_EXECUTABLE)
    foreach(suite Agreement Helping Ends Checkpoints)
      add_test(NAME mpi_${suite}
        COMMAND "${Python3_EXECUTABLE}" mpi/mpi_test.py "${PROJECT_BINARY_DIR}" ${suite}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(mpi_${suite} PROPERTIES LABELS mpi TIMEOUT 1800 RUN_SERIAL TRUE)
    endforeach()
  endif()
endfunction()
