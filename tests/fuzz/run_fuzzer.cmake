# Runs one fuzzer on a fresh corpus made of its seeds and of the project's own data files.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/corpus ${WORK}/findings)
file(GLOB seeds ${SEEDS}/*)
if(FUZZER MATCHES "model")
  file(GLOB own ${DATA}/models/*.toml)
elseif(FUZZER MATCHES "device")  # of the other kinds we have no files
  file(GLOB own ${DATA}/hardware_db/gpus/a100*.toml ${DATA}/hardware_db/gpus/h100*.toml)
endif()
file(COPY ${seeds} ${own} DESTINATION ${WORK}/corpus)
execute_process(
  COMMAND ${FUZZER} -max_total_time=${SECONDS} -timeout=10 -rss_limit_mb=2048 -max_len=16384 -seed=1
          -artifact_prefix=${WORK}/findings/ -print_final_stats=1 -verbosity=0 ${WORK}/corpus
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the fuzzer found something; the input is in ${WORK}/findings")
endif()
