# SPDX-License-Identifier: MIT
"""Random scenarios as files. usage: invent_files.py COUNT SEED FOLDER: prints the names of the files"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "invariance"))
import invent  # noqa: E402  (it is beside the transformations)

count, seed, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
for name, tree in invent.scenarios(count, seed):
    file = folder / (name.replace(" ", "_") + ".yaml")
    file.write_text(json.dumps(tree, indent=1) + "\n")
    print(file)
