"""Prints the scalars in a folder of TensorBoard, as its own reader sees them: {tag: [[step, wall time, value], …]}."""

import json
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0})
events.Reload()
tags = events.Tags()["scalars"]
print(json.dumps({tag: [[at.step, at.wall_time, at.value] for at in events.Scalars(tag)] for tag in tags}))
