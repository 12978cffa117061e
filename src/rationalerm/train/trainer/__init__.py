"""What every training on TRL's trainers shares: a configuration's words, LoRA, checkpoints, a stop that loses nothing."""
