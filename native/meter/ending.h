/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLANECAST_METER_ENDING_H
#define PLANECAST_METER_ENDING_H

/* Whoever asked is gone, perhaps killed: nothing of this program stays behind. */
void ending_now(void);

/* Removes what the run had in EAL's folder, and the folder; twice does no harm. */
void ending_clean(void);

#endif
