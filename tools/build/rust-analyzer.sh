#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rust-analyzer.sh TOOLCHAIN KDIR OBJECTS: writes rust-project.json, which tells
# rust-analyzer about the module and the kernel's crates. OBJECTS is the directory in
# which the module was built for KDIR. The kernel's own list lacks modules whose Kbuild is
# not beside their root file.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cd "$here/../.."

toolchain=$1 kdir=$2 objects=$3
# shellcheck source=/dev/null
. "$toolchain"

tools/module.sh "$toolchain" "$kdir" "$objects" RUST_LIB_SRC="$RUST_LIB_SRC" rust-analyzer >&2
python3 - "$objects" >rust-project.json <<'END'
import json, os, sys

objects = os.path.abspath(sys.argv[1])
project = json.load(open(f"{objects}/rust-project.json"))
crates = project["crates"]
index = {crate["display_name"]: number for number, crate in enumerate(crates)}
crates.append({
    **crates[index["kernel"]],
    "display_name": "uncore_rs",
    "root_module": os.path.abspath("rust/uncore_rs.rs"),
    "is_workspace_member": True,
    "deps": [{"crate": index[name], "name": name} for name in ("core", "kernel", "pin_init")],
    "env": {
        "RUST_MODFILE": "./uncore_rs",
        "UNCORE_BINDINGS": f"{objects}/include/bindings_generated.rs",
        "UNCORE_LAYOUT": f"{objects}/include/layout_generated.rs",
    },
    "source": {
        "include_dirs": [os.path.abspath("rust"), f"{objects}/include"],
        "exclude_dirs": [],
    },
})
json.dump(project, sys.stdout, indent=4)
END
echo rust-project.json
