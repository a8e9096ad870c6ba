/*
 * Did a lever take effect? Told from the events of a run with it against those of the run without: an option that was
 * set and had no effect is the commonest way to be wrong about a lever.
 */
#ifndef KILN_PROBE_TRIAL_ARRIVE_H
#define KILN_PROBE_TRIAL_ARRIVE_H

#include <stdbool.h>

#include "probe/ledger.h"
#include "probe/lever.h"

/* How a lever is judged. */
struct kiln_arriving {
  const struct kiln_lever *lever;
  const struct kiln_lever_view *view;
  const struct kiln_model *with; /* a cold run with the lever */
  bool moved;                    /* other levers act too, which may move identities */
};

/* Fill the entry's modules, missed and evidence . true: it arrived in every module that
 * it was meant for, and there is at least one. false: entry->missed tells how many it missed; when the agent says that
 * it could not apply the lever at all, *because (in the ledger) is its sentence, else NULL. */
bool kiln_trial_arrived(const struct kiln_arriving *arriving, struct kiln_ledger *ledger,
    struct kiln_ledger_entry *entry, const char **because);

#endif
