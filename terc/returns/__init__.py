"""What variables mean for the return: play, ablation, distillation, and the frontier of sensors."""
