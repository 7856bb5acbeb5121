/* SPDX-License-Identifier: Apache-2.0
 *
 * What is used of QEMU's interface for TCG plug-ins, version 1 (QEMU 4.2 to 8.2; described in
 * docs/devel/tcg-plugins). Distributions ship programs that take plug-ins, but no header.
 */
#ifndef PLANECAST_TRACE_QEMU_PLUGIN_H
#define PLANECAST_TRACE_QEMU_PLUGIN_H

#include <cstddef>
#include <cstdint>

#define QEMU_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" {

using qemu_plugin_id_t = uint64_t;
struct qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

using qemu_plugin_simple_cb_t = void (*)(qemu_plugin_id_t);
using qemu_plugin_udata_cb_t = void (*)(qemu_plugin_id_t, void *);
using qemu_plugin_tb_trans_cb_t = void (*)(qemu_plugin_id_t, qemu_plugin_tb *);
using qemu_plugin_vcpu_udata_cb_t = void (*)(unsigned, void *);
using qemu_plugin_vcpu_mem_cb_t = void (*)(unsigned, uint32_t, uint64_t, void *);
using qemu_plugin_vcpu_syscall_cb_t = void (*)(qemu_plugin_id_t, unsigned, int64_t, uint64_t,
                                               uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                               uint64_t, uint64_t);

void qemu_plugin_reset(qemu_plugin_id_t, qemu_plugin_simple_cb_t);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_plugin_tb_trans_cb_t);
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb *, qemu_plugin_vcpu_udata_cb_t,
                                          qemu_plugin_cb_flags, void *);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn *, qemu_plugin_vcpu_mem_cb_t,
                                      qemu_plugin_cb_flags, qemu_plugin_mem_rw, void *);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, qemu_plugin_vcpu_syscall_cb_t);
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const qemu_plugin_tb *);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn *);
unsigned qemu_plugin_mem_size_shift(uint32_t);
bool qemu_plugin_mem_is_store(uint32_t);

} /* extern "C" */

#endif
