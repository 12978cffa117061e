#!/usr/bin/env bash
# Submits the training to a Ray cluster that is up. Any argument is one more override of config.yaml:
#   DATA=/shared/genrm POLICY=Qwen/Qwen3-14B NODES=2 recipes/genrm_verl/launch.sh trainer.experiment_name=first
# RAY_API_SERVER_ADDRESS says where (http://head:8265). DATA is a folder that every node sees (`rationalerm train prepare`).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${DATA:?DATA is not set: the folder of train.parquet and validation.parquet that every node sees}"
export POLICY=${POLICY:-Qwen/Qwen3-14B} JUDGE=${JUDGE:-Qwen/Qwen3-30B-A3B-Instruct-2507} NODES=${NODES:-2}
env=$(python3 - <<'PYTHON'
import json, os
# What the workers need to know. A key of an endpoint goes by the cluster's own environment, never by this.
names = ("DATA", "POLICY", "JUDGE", "NODES", "HF_HOME", "HF_HUB_OFFLINE", "RATIONALERM_CACHE_DIR")
known = {name: os.environ[name] for name in names if name in os.environ}
print(json.dumps({"env_vars": known}))
PYTHON
)
exec ${RAY:-ray} job submit --no-wait --runtime-env-json "$env" --working-dir "$here" -- \
  python3 -m verl.trainer.main_ppo --config-dir . --config-name config "$@"
