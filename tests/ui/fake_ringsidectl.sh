#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Replaces ringsidectl in tests of the window. $FAKE_DIR/mode contains the behaviour, $FAKE_DIR/*.jsonl the output.
mode=$(cat "$FAKE_DIR/mode")
if [ "$1" = run ]; then
    cat > "$FAKE_DIR/config.json"
    if [ "$mode" = refuses ]; then
        echo "ringsidectl: no space left on device: free some space, then run again" >&2
        exit 2
    fi
    if [ "$mode" = speechless ]; then exit 70; fi
    if [ "$mode" = checks ]; then cp -r "$FAKE_DIR/traced" "$5"; exit; fi  # run - --quiet --out DIR
    if [ "$mode" = compares ]; then cp -r "$FAKE_DIR/ringside" "$5"; exit; fi
    if [ "$mode" = trains ]; then  # until SIGTERM
        trap 'echo stopped > "$FAKE_DIR/run_end"; exit 20' TERM
        mkdir "$5"
        echo '{"kind":"step","step":7,"loss":1}' > "$5/metrics.jsonl"
        while [ -e "$FAKE_DIR/mode" ]; do sleep 0.05; done
    fi
    echo "run directory: $FAKE_DIR"
    exit 0
fi
if [ "$1" = watch ]; then  # watch --out DIR [--check] -- COMMAND
    echo "$*" > "$FAKE_DIR/watch_words"
    pwd > "$FAKE_DIR/watch_folder"
    if [ "$mode" = untrained ]; then
        cat "$FAKE_DIR/output"
        exit 1
    fi
    if [ "$mode" = compares ]; then  # ... -- PYTHON train.py --out DIR
        cp -r "$FAKE_DIR/pytorch" "$3"
        for last in "$@"; do :; done
        cp -r "$FAKE_DIR/script" "$last"
        exit 0
    fi
    trap 'echo stopped > "$FAKE_DIR/watch_end"; exit 0' TERM
    if [ "$mode" = imports ]; then
        echo $$ > "$FAKE_DIR/watch_pid"
        while [ -e "$FAKE_DIR/mode" ]; do sleep 0.05; done
    fi
    echo "epoch 0: loss 2.3"
    cp "$FAKE_DIR/launch.json" "$FAKE_DIR/summary.json" "$FAKE_DIR/config.json" "$3"
    cp "$FAKE_DIR/start.jsonl" "$3/telemetry.jsonl"
    exit 0
fi
cat "$FAKE_DIR/start.jsonl"
case $mode in
    finishes) cat "$FAKE_DIR/end.jsonl" ;;
    vanishes) echo "ringsidectl: $2 is no run directory any more: choose another" >&2; exit 2 ;;
    obeys)  # answers each command with the file of its name
        while read -r line; do
            echo "$line" >> "$FAKE_DIR/control"
            for name in pause resume rate; do
                case $line in *\"$name\"*) cat "$FAKE_DIR/$name.jsonl" ;; esac
            done
        done ;;
    lives)
        read -r line
        echo "$line" > "$FAKE_DIR/control"
        cat "$FAKE_DIR/stopped.jsonl" ;;
esac
