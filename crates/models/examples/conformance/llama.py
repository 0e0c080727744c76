"""Serves a small real language model with the server of llama.cpp, on one thread. Prints its address."""

import json
import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.n_parallel = 1
parameters.n_ctx = 2048
parameters.n_predict = 256
parameters.warmup = False
parameters.sampling.temp = 0.0
# More threads than free processors only wait for each other.
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.n_threads_http = 2
parameters.endpoint_metrics = False
server = xllamacpp.Server(parameters)
print(json.dumps({"url": server.listening_address}), flush=True)
# The parent closes our input when it has seen enough.
sys.stdin.read()
