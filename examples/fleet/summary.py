# SPDX-License-Identifier: Apache-2.0
"""The table at the end."""

MS = 1e6  # nanoseconds


def summary(record):
    lines = [f"  {'process':10}{'acquisitions':>14}{'share':>8}{'longest wait':>15}{'longest hold':>15}"]
    for member in record.members:
        holds = record.holds_of(member)
        longest_wait = max((hold.acquired - hold.waiting for hold in holds), default=0) / MS
        longest_hold = max((hold.released - hold.acquired for hold in holds), default=0) / MS
        share = len(holds) / max(len(record.holds), 1)
        lines.append(
            f"  {member.name:10}{len(holds):14}{share:8.0%}{longest_wait:12.1f} ms{longest_hold:12.1f} ms")
    lines.append(f"  {'all':10}{len(record.holds):14}")
    lines.append("")
    lines.append(f"  hand-offs     C to Java {record.hand_offs['C', 'Java']}, "
                 f"Java to C {record.hand_offs['Java', 'C']}")
    wait, hold = max(record.waits(), key=lambda pair: pair[0], default=(0, None))
    who = f" ({hold.member.name}, thread {hold.thread})" if hold else ""
    lines.append(f"  longest wait  {wait / MS:.1f} ms{who}")
    lines.append(f"  violations    {record.violations}")
    return "\n".join(lines)
