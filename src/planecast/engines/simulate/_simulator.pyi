"""
Discrete-event simulation of poll-mode packet processing, bursts as events.
"""

from collections.abc import Sequence
import enum


VERSION: str = '1'

class ModelError(ValueError):
    pass

class InvariantError(AssertionError):
    pass

class DistributionKind(enum.Enum):
    constant = 0

    exponential = 1

    lognormal = 2

    table = 3

class ArrivalKind(enum.Enum):
    constant = 0

    poisson = 1

    on_off = 2

    timestamps = 3

class FlowPick(enum.Enum):
    uniform = 0

    cyclic = 1

    zipf = 2

class InputKind(enum.Enum):
    port = 0

    ring = 1

    accelerator = 2

class OutputKind(enum.Enum):
    none = 0

    port = 1

    ring = 2

    accelerator = 3

class FanOut(enum.Enum):
    flow = 0

    round_robin = 1

class WhenFull(enum.Enum):
    drop = 0

    wait = 1

class PrecisionTarget(enum.Enum):
    throughput = 0

    latency = 1

    loss = 2

class Distribution:
    """A random quantity."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def kind(self) -> DistributionKind:
        """constant, exponential, lognormal or table"""

    @kind.setter
    def kind(self, arg: DistributionKind, /) -> None: ...

    @property
    def mean(self) -> float:
        """mean, in the unit of what it describes"""

    @mean.setter
    def mean(self, arg: float, /) -> None: ...

    @property
    def cv(self) -> float:
        """standard deviation / mean (lognormal)"""

    @cv.setter
    def cv(self, arg: float, /) -> None: ...

    @property
    def values(self) -> tuple[float, ...]:
        """the values of a table"""

    @values.setter
    def values(self, arg: Sequence[float], /) -> None: ...

    @property
    def weights(self) -> tuple[float, ...]:
        """how often each value comes"""

    @weights.setter
    def weights(self, arg: Sequence[float], /) -> None: ...

class Arrivals:
    """When a source hands frames to the wire."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def kind(self) -> ArrivalKind:
        """constant, poisson, on_off or timestamps"""

    @kind.setter
    def kind(self, arg: ArrivalKind, /) -> None: ...

    @property
    def rate_pps(self) -> float:
        """mean packets a second"""

    @rate_pps.setter
    def rate_pps(self, arg: float, /) -> None: ...

    @property
    def offset_ns(self) -> float:
        """when the process starts"""

    @offset_ns.setter
    def offset_ns(self, arg: float, /) -> None: ...

    @property
    def peak_pps(self) -> float:
        """on_off: rate in a burst, 0: all at once"""

    @peak_pps.setter
    def peak_pps(self, arg: float, /) -> None: ...

    @property
    def burst_packets(self) -> Distribution:
        """on_off: packets of a burst"""

    @burst_packets.setter
    def burst_packets(self, arg: Distribution, /) -> None: ...

    @property
    def random_gap(self) -> bool:
        """on_off: exponential gaps between bursts"""

    @random_gap.setter
    def random_gap(self, arg: bool, /) -> None: ...

    @property
    def times_ns(self) -> tuple[float, ...]:
        """timestamps: when each packet is sent"""

    @times_ns.setter
    def times_ns(self, arg: Sequence[float], /) -> None: ...

    @property
    def frame_bytes(self) -> tuple[int, ...]:
        """timestamps: frame sizes"""

    @frame_bytes.setter
    def frame_bytes(self, arg: Sequence[int], /) -> None: ...

    @property
    def rss_hashes(self) -> tuple[int, ...]:
        """timestamps: RSS hashes"""

    @rss_hashes.setter
    def rss_hashes(self, arg: Sequence[int], /) -> None: ...

    @property
    def repeat(self) -> bool:
        """timestamps: start again after the last"""

    @repeat.setter
    def repeat(self, arg: bool, /) -> None: ...

    @property
    def repeat_gap_ns(self) -> float:
        """pause before a repetition"""

    @repeat_gap_ns.setter
    def repeat_gap_ns(self, arg: float, /) -> None: ...

class FrameSize:
    """A frame size and how often it comes."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def bytes(self) -> int:
        """frame with FCS"""

    @bytes.setter
    def bytes(self, arg: int, /) -> None: ...

    @property
    def weight(self) -> float:
        """how often"""

    @weight.setter
    def weight(self, arg: float, /) -> None: ...

class FlowClass:
    """Packets of one kind."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """name in results"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def weight(self) -> float:
        """share of the source's packets"""

    @weight.setter
    def weight(self, arg: float, /) -> None: ...

    @property
    def frames(self) -> tuple[FrameSize, ...]:
        """frame sizes with their weights"""

    @frames.setter
    def frames(self, arg: Sequence[FrameSize], /) -> None: ...

    @property
    def flows(self) -> int:
        """active flows"""

    @flows.setter
    def flows(self, arg: int, /) -> None: ...

    @property
    def pick(self) -> FlowPick:
        """uniform, cyclic or zipf"""

    @pick.setter
    def pick(self, arg: FlowPick, /) -> None: ...

    @property
    def zipf_exponent(self) -> float:
        """zipf: 0 is uniform"""

    @zipf_exponent.setter
    def zipf_exponent(self, arg: float, /) -> None: ...

    @property
    def new_flows_per_second(self) -> float:
        """packets that open a flow, a second"""

    @new_flows_per_second.setter
    def new_flows_per_second(self, arg: float, /) -> None: ...

    @property
    def source_ip(self) -> int:
        """IPv4 address of flow 0"""

    @source_ip.setter
    def source_ip(self, arg: int, /) -> None: ...

    @property
    def source_ip_step(self) -> int:
        """added a flow"""

    @source_ip_step.setter
    def source_ip_step(self, arg: int, /) -> None: ...

    @property
    def destination_ip(self) -> int:
        """IPv4 address of flow 0"""

    @destination_ip.setter
    def destination_ip(self, arg: int, /) -> None: ...

    @property
    def destination_ip_step(self) -> int:
        """added a flow"""

    @destination_ip_step.setter
    def destination_ip_step(self, arg: int, /) -> None: ...

    @property
    def source_port(self) -> int:
        """of flow 0"""

    @source_port.setter
    def source_port(self, arg: int, /) -> None: ...

    @property
    def source_port_step(self) -> int:
        """added a flow"""

    @source_port_step.setter
    def source_port_step(self, arg: int, /) -> None: ...

    @property
    def destination_port(self) -> int:
        """of flow 0"""

    @destination_port.setter
    def destination_port(self, arg: int, /) -> None: ...

    @property
    def destination_port_step(self) -> int:
        """added a flow"""

    @destination_port_step.setter
    def destination_port_step(self, arg: int, /) -> None: ...

class Source:
    """Where packets come from."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """name in results"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def port(self) -> str:
        """the port that receives its frames"""

    @port.setter
    def port(self, arg: str, /) -> None: ...

    @property
    def arrivals(self) -> Arrivals:
        """when frames are sent"""

    @arrivals.setter
    def arrivals(self, arg: Arrivals, /) -> None: ...

    @property
    def classes(self) -> tuple[FlowClass, ...]:
        """kinds of packets"""

    @classes.setter
    def classes(self, arg: Sequence[FlowClass], /) -> None: ...

    @property
    def limit_packets(self) -> int:
        """stop after so many, 0: never"""

    @limit_packets.setter
    def limit_packets(self, arg: int, /) -> None: ...

class Pcie:
    """A PCIe link."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def raw_bps(self) -> float:
        """bit/s of a direction, 0: no limit"""

    @raw_bps.setter
    def raw_bps(self, arg: float, /) -> None: ...

    @property
    def max_payload_bytes(self) -> int:
        """MPS"""

    @max_payload_bytes.setter
    def max_payload_bytes(self, arg: int, /) -> None: ...

    @property
    def max_read_bytes(self) -> int:
        """MRRS"""

    @max_read_bytes.setter
    def max_read_bytes(self, arg: int, /) -> None: ...

    @property
    def completion_bytes(self) -> int:
        """bytes a completion"""

    @completion_bytes.setter
    def completion_bytes(self, arg: int, /) -> None: ...

    @property
    def ack_every_bytes(self) -> float:
        """bytes an ACK DLLP"""

    @ack_every_bytes.setter
    def ack_every_bytes(self, arg: float, /) -> None: ...

    @property
    def flow_control_every_bytes(self) -> float:
        """bytes a flow-control DLLP"""

    @flow_control_every_bytes.setter
    def flow_control_every_bytes(self, arg: float, /) -> None: ...

    @property
    def descriptor_bytes(self) -> int:
        """of one packet"""

    @descriptor_bytes.setter
    def descriptor_bytes(self, arg: int, /) -> None: ...

    @property
    def descriptors_at_once(self) -> int:
        """a transaction"""

    @descriptors_at_once.setter
    def descriptors_at_once(self, arg: int, /) -> None: ...

    @property
    def transactions_per_second(self) -> float:
        """0: no limit"""

    @transactions_per_second.setter
    def transactions_per_second(self, arg: float, /) -> None: ...

    @property
    def read_tags(self) -> int:
        """outstanding reads, 0: no limit"""

    @read_tags.setter
    def read_tags(self, arg: int, /) -> None: ...

    @property
    def read_latency_ns(self) -> float:
        """of one read"""

    @read_latency_ns.setter
    def read_latency_ns(self, arg: float, /) -> None: ...

class Nic:
    """The packet engine that ports share."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """what ports call it"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def rx_limit_pps(self) -> float:
        """packets a second received, 0: no limit"""

    @rx_limit_pps.setter
    def rx_limit_pps(self, arg: float, /) -> None: ...

    @property
    def tx_limit_pps(self) -> float:
        """packets a second sent, 0: no limit"""

    @tx_limit_pps.setter
    def tx_limit_pps(self, arg: float, /) -> None: ...

    @property
    def rx_fifo_packets(self) -> int:
        """buffer before the engine"""

    @rx_fifo_packets.setter
    def rx_fifo_packets(self, arg: int, /) -> None: ...

    @property
    def rx_latency_ns(self) -> float:
        """last bit to descriptor"""

    @rx_latency_ns.setter
    def rx_latency_ns(self, arg: float, /) -> None: ...

    @property
    def tx_latency_ns(self) -> float:
        """added to each packet sent"""

    @tx_latency_ns.setter
    def tx_latency_ns(self, arg: float, /) -> None: ...

    @property
    def pcie(self) -> Pcie:
        """its PCIe link"""

    @pcie.setter
    def pcie(self, arg: Pcie, /) -> None: ...

class Port:
    """A port: wire, RSS, descriptor rings."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """what sources, tasks and outputs call it"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def nic(self) -> str:
        """the card it sits on, empty: one of its own"""

    @nic.setter
    def nic(self, arg: str, /) -> None: ...

    @property
    def line_rate_bps(self) -> float:
        """0: frames take no time"""

    @line_rate_bps.setter
    def line_rate_bps(self, arg: float, /) -> None: ...

    @property
    def overhead_bytes(self) -> int:
        """preamble and gap"""

    @overhead_bytes.setter
    def overhead_bytes(self, arg: int, /) -> None: ...

    @property
    def rx_limit_pps(self) -> float:
        """packets a second received, 0: no limit"""

    @rx_limit_pps.setter
    def rx_limit_pps(self, arg: float, /) -> None: ...

    @property
    def tx_limit_pps(self) -> float:
        """packets a second sent, 0: no limit"""

    @tx_limit_pps.setter
    def tx_limit_pps(self, arg: float, /) -> None: ...

    @property
    def rx_queues(self) -> int:
        """receive queues"""

    @rx_queues.setter
    def rx_queues(self, arg: int, /) -> None: ...

    @property
    def rx_ring(self) -> int:
        """descriptors of a receive queue"""

    @rx_ring.setter
    def rx_ring(self, arg: int, /) -> None: ...

    @property
    def tx_ring(self) -> int:
        """descriptors of a transmit queue"""

    @tx_ring.setter
    def tx_ring(self, arg: int, /) -> None: ...

    @property
    def rss_table(self) -> int:
        """entries of the RSS table"""

    @rss_table.setter
    def rss_table(self, arg: int, /) -> None: ...

    @property
    def rss_key(self) -> tuple[int, ...]:
        """40 bytes, none: Microsoft's key"""

    @rss_key.setter
    def rss_key(self, arg: Sequence[int], /) -> None: ...

class CurvePoint:
    """A point of a piecewise linear curve."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def x(self) -> float:
        """where"""

    @x.setter
    def x(self, arg: float, /) -> None: ...

    @property
    def y(self) -> float:
        """how much"""

    @y.setter
    def y(self, arg: float, /) -> None: ...

class Drop:
    """A share of packets that ends in a stage."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def cause(self) -> str:
        """name in the counts"""

    @cause.setter
    def cause(self, arg: str, /) -> None: ...

    @property
    def probability(self) -> float:
        """of a packet that reaches the stage"""

    @probability.setter
    def probability(self, arg: float, /) -> None: ...

    @property
    def extra_cycles(self) -> float:
        """cost of dropping one"""

    @extra_cycles.setter
    def extra_cycles(self, arg: float, /) -> None: ...

class Stage:
    """What a core does with a burst."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """name in results"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def burst_cycles(self) -> Distribution:
        """cycles a burst"""

    @burst_cycles.setter
    def burst_cycles(self, arg: Distribution, /) -> None: ...

    @property
    def packet_cycles(self) -> Distribution:
        """cycles a packet"""

    @packet_cycles.setter
    def packet_cycles(self, arg: Distribution, /) -> None: ...

    @property
    def byte_cycles(self) -> float:
        """cycles a byte of frame"""

    @byte_cycles.setter
    def byte_cycles(self, arg: float, /) -> None: ...

    @property
    def new_flow_cycles(self) -> float:
        """for a flow's first packet"""

    @new_flow_cycles.setter
    def new_flow_cycles(self, arg: float, /) -> None: ...

    @property
    def slow_path_probability(self) -> float:
        """of a packet"""

    @slow_path_probability.setter
    def slow_path_probability(self, arg: float, /) -> None: ...

    @property
    def slow_path_cycles(self) -> float:
        """added for such a packet"""

    @slow_path_cycles.setter
    def slow_path_cycles(self, arg: float, /) -> None: ...

    @property
    def drops(self) -> tuple[Drop, ...]:
        """packets that end here"""

    @drops.setter
    def drops(self, arg: Sequence[Drop], /) -> None: ...

    @property
    def policer_pps(self) -> float:
        """token rate, 0: none"""

    @policer_pps.setter
    def policer_pps(self, arg: float, /) -> None: ...

    @property
    def policer_burst(self) -> float:
        """tokens at most"""

    @policer_burst.setter
    def policer_burst(self, arg: float, /) -> None: ...

    @property
    def llc_accesses(self) -> float:
        """a packet"""

    @llc_accesses.setter
    def llc_accesses(self, arg: float, /) -> None: ...

    @property
    def llc_misses(self) -> tuple[CurvePoint, ...]:
        """MiB of LLC to miss ratio"""

    @llc_misses.setter
    def llc_misses(self, arg: Sequence[CurvePoint], /) -> None: ...

    @property
    def blocking_factor(self) -> float:
        """latency that is not hidden"""

    @blocking_factor.setter
    def blocking_factor(self, arg: float, /) -> None: ...

    @property
    def accelerator(self) -> str:
        """device that the core waits for"""

    @accelerator.setter
    def accelerator(self, arg: str, /) -> None: ...

class Input:
    """What a task polls."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def kind(self) -> InputKind:
        """port, ring or accelerator"""

    @kind.setter
    def kind(self, arg: InputKind, /) -> None: ...

    @property
    def name(self) -> str:
        """which one"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def queue(self) -> int:
        """receive queue of a port"""

    @queue.setter
    def queue(self, arg: int, /) -> None: ...

class Output:
    """Where a task's packets go."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def kind(self) -> OutputKind:
        """none, port, ring or accelerator"""

    @kind.setter
    def kind(self, arg: OutputKind, /) -> None: ...

    @property
    def to(self) -> tuple[str, ...]:
        """names, several rings fan out"""

    @to.setter
    def to(self, arg: Sequence[str], /) -> None: ...

    @property
    def fan_out(self) -> FanOut:
        """flow or round_robin"""

    @fan_out.setter
    def fan_out(self, arg: FanOut, /) -> None: ...

    @property
    def when_full(self) -> WhenFull:
        """drop or wait"""

    @when_full.setter
    def when_full(self, arg: WhenFull, /) -> None: ...

    @property
    def buffer_packets(self) -> int:
        """0: send at once"""

    @buffer_packets.setter
    def buffer_packets(self, arg: int, /) -> None: ...

    @property
    def drain_ns(self) -> float:
        """flushes a partly filled buffer"""

    @drain_ns.setter
    def drain_ns(self, arg: float, /) -> None: ...

class Task:
    """An input, stages, an output."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """name in results"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def input(self) -> Input:
        """what it polls"""

    @input.setter
    def input(self, arg: Input, /) -> None: ...

    @property
    def burst(self) -> int:
        """packets of a poll at most"""

    @burst.setter
    def burst(self, arg: int, /) -> None: ...

    @property
    def empty_poll_cycles(self) -> float:
        """finding nothing"""

    @empty_poll_cycles.setter
    def empty_poll_cycles(self, arg: float, /) -> None: ...

    @property
    def stages(self) -> tuple[Stage, ...]:
        """what it does with packets"""

    @stages.setter
    def stages(self, arg: Sequence[Stage], /) -> None: ...

    @property
    def output(self) -> Output:
        """where they go"""

    @output.setter
    def output(self, arg: Output, /) -> None: ...

class Disturbance:
    """What takes a core away."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """name in results"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def rate_per_second(self) -> float:
        """how often"""

    @rate_per_second.setter
    def rate_per_second(self, arg: float, /) -> None: ...

    @property
    def periodic(self) -> bool:
        """equal spacing instead of Poisson"""

    @periodic.setter
    def periodic(self, arg: bool, /) -> None: ...

    @property
    def duration_ns(self) -> Distribution:
        """for how long"""

    @duration_ns.setter
    def duration_ns(self, arg: Distribution, /) -> None: ...

class Core:
    """A poll loop over tasks."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """name in results"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def clock_hz(self) -> float:
        """cycles a second"""

    @clock_hz.setter
    def clock_hz(self, arg: float, /) -> None: ...

    @property
    def tasks(self) -> tuple[Task, ...]:
        """polled in turn"""

    @tasks.setter
    def tasks(self, arg: Sequence[Task], /) -> None: ...

    @property
    def sibling(self) -> str:
        """name of the SMT sibling"""

    @sibling.setter
    def sibling(self, arg: str, /) -> None: ...

    @property
    def sibling_busy_factor(self) -> float:
        """while it works"""

    @sibling_busy_factor.setter
    def sibling_busy_factor(self, arg: float, /) -> None: ...

    @property
    def sibling_idle_factor(self) -> float:
        """while it polls"""

    @sibling_idle_factor.setter
    def sibling_idle_factor(self, arg: float, /) -> None: ...

    @property
    def llc_ways(self) -> int:
        """bit mask, 0: all"""

    @llc_ways.setter
    def llc_ways(self, arg: int, /) -> None: ...

    @property
    def disturbances(self) -> tuple[Disturbance, ...]:
        """what takes the core away"""

    @disturbances.setter
    def disturbances(self, arg: Sequence[Disturbance], /) -> None: ...

class Ring:
    """A bounded queue between cores."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """what tasks call it"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def capacity(self) -> int:
        """packets"""

    @capacity.setter
    def capacity(self, arg: int, /) -> None: ...

    @property
    def handover_ns(self) -> float:
        """until the consumer sees a packet"""

    @handover_ns.setter
    def handover_ns(self, arg: float, /) -> None: ...

class Accelerator:
    """A device that serves packets."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def name(self) -> str:
        """what stages and outputs call it"""

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def servers(self) -> int:
        """engines that work in parallel"""

    @servers.setter
    def servers(self, arg: int, /) -> None: ...

    @property
    def packet_ns(self) -> Distribution:
        """of one engine for one packet"""

    @packet_ns.setter
    def packet_ns(self, arg: Distribution, /) -> None: ...

    @property
    def byte_ns(self) -> float:
        """of one engine for one byte"""

    @byte_ns.setter
    def byte_ns(self, arg: float, /) -> None: ...

    @property
    def latency_ns(self) -> float:
        """there and back"""

    @latency_ns.setter
    def latency_ns(self, arg: float, /) -> None: ...

    @property
    def queue(self) -> int:
        """packets inside at most"""

    @queue.setter
    def queue(self, arg: int, /) -> None: ...

class Memory:
    """The caches and memory that cores share."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def llc_ways(self) -> int:
        """0: no memory model"""

    @llc_ways.setter
    def llc_ways(self, arg: int, /) -> None: ...

    @property
    def way_mib(self) -> float:
        """MiB a way"""

    @way_mib.setter
    def way_mib(self, arg: float, /) -> None: ...

    @property
    def llc_latency_ns(self) -> float:
        """of an LLC hit"""

    @llc_latency_ns.setter
    def llc_latency_ns(self, arg: float, /) -> None: ...

    @property
    def latency_ns(self) -> tuple[CurvePoint, ...]:
        """GB/s to ns"""

    @latency_ns.setter
    def latency_ns(self, arg: Sequence[CurvePoint], /) -> None: ...

    @property
    def background_gbps(self) -> float:
        """neighbours' traffic"""

    @background_gbps.setter
    def background_gbps(self, arg: float, /) -> None: ...

    @property
    def refresh_ns(self) -> float:
        """how often it is solved"""

    @refresh_ns.setter
    def refresh_ns(self, arg: float, /) -> None: ...

class Run:
    """How long, how precisely, what to record."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def seed(self) -> int:
        """same seed, same bytes"""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def duration_ns(self) -> float:
        """simulated time, 30 days at most"""

    @duration_ns.setter
    def duration_ns(self, arg: float, /) -> None: ...

    @property
    def warmup_ns(self) -> float:
        """left out of the report"""

    @warmup_ns.setter
    def warmup_ns(self, arg: float, /) -> None: ...

    @property
    def batches(self) -> int:
        """intervals for the estimates"""

    @batches.setter
    def batches(self, arg: int, /) -> None: ...

    @property
    def precision(self) -> float:
        """stop at this relative half-width, 0: never"""

    @precision.setter
    def precision(self, arg: float, /) -> None: ...

    @property
    def precision_target(self) -> PrecisionTarget:
        """throughput, latency or loss"""

    @precision_target.setter
    def precision_target(self, arg: PrecisionTarget, /) -> None: ...

    @property
    def confidence(self) -> float:
        """of the intervals"""

    @confidence.setter
    def confidence(self, arg: float, /) -> None: ...

    @property
    def histogram_digits(self) -> int:
        """significant digits"""

    @histogram_digits.setter
    def histogram_digits(self, arg: int, /) -> None: ...

    @property
    def series_interval_ns(self) -> float:
        """0: no time series"""

    @series_interval_ns.setter
    def series_interval_ns(self, arg: float, /) -> None: ...

    @property
    def trace_events(self) -> int:
        """at most, 0: no trace"""

    @trace_events.setter
    def trace_events(self, arg: int, /) -> None: ...

    @property
    def max_steps(self) -> int:
        """0: no limit"""

    @max_steps.setter
    def max_steps(self, arg: int, /) -> None: ...

    @property
    def max_host_seconds(self) -> float:
        """0: no limit"""

    @max_host_seconds.setter
    def max_host_seconds(self, arg: float, /) -> None: ...

    @property
    def threads(self) -> int:
        """host threads"""

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

class Model:
    """A whole model."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def sources(self) -> tuple[Source, ...]:
        """where packets come from"""

    @sources.setter
    def sources(self, arg: Sequence[Source], /) -> None: ...

    @property
    def nics(self) -> tuple[Nic, ...]:
        """network cards"""

    @nics.setter
    def nics(self, arg: Sequence[Nic], /) -> None: ...

    @property
    def ports(self) -> tuple[Port, ...]:
        """their ports"""

    @ports.setter
    def ports(self, arg: Sequence[Port], /) -> None: ...

    @property
    def cores(self) -> tuple[Core, ...]:
        """poll loops"""

    @cores.setter
    def cores(self, arg: Sequence[Core], /) -> None: ...

    @property
    def rings(self) -> tuple[Ring, ...]:
        """between cores"""

    @rings.setter
    def rings(self, arg: Sequence[Ring], /) -> None: ...

    @property
    def accelerators(self) -> tuple[Accelerator, ...]:
        """devices"""

    @accelerators.setter
    def accelerators(self, arg: Sequence[Accelerator], /) -> None: ...

    @property
    def memory(self) -> Memory:
        """caches and memory that cores share"""

    @memory.setter
    def memory(self, arg: Memory, /) -> None: ...

    @property
    def run(self) -> Run:
        """how long, how precisely, what to record"""

    @run.setter
    def run(self, arg: Run, /) -> None: ...

class Estimate:
    """A value with its interval, from batch means."""

    @property
    def value(self) -> float: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...

    @property
    def samples(self) -> int: ...

class DropCount:
    """Packets that ended somewhere, and why."""

    @property
    def cause(self) -> str: ...

    @property
    def where(self) -> str: ...

    @property
    def packets(self) -> int: ...

class QueueResult:
    """A queue's occupancy."""

    @property
    def name(self) -> str: ...

    @property
    def capacity(self) -> int: ...

    @property
    def entered(self) -> int: ...

    @property
    def left(self) -> int: ...

    @property
    def mean(self) -> float: ...

    @property
    def max(self) -> int: ...

    @property
    def mean_wait_ns(self) -> float: ...

class StageResult:
    """What a stage did."""

    @property
    def name(self) -> str: ...

    @property
    def packets(self) -> int: ...

    @property
    def bursts(self) -> int: ...

    @property
    def cycles(self) -> float: ...

class TaskResult:
    """What a task did."""

    @property
    def name(self) -> str: ...

    @property
    def bursts(self) -> int: ...

    @property
    def packets(self) -> int: ...

    @property
    def empty_polls(self) -> int: ...

    @property
    def burst_sizes(self) -> tuple[int, ...]: ...

    @property
    def stages(self) -> tuple[StageResult, ...]: ...

class CoreResult:
    """Where a core's time went."""

    @property
    def name(self) -> str: ...

    @property
    def busy(self) -> float: ...

    @property
    def polling(self) -> float: ...

    @property
    def waiting(self) -> float: ...

    @property
    def disturbed(self) -> float: ...

    @property
    def vectors_per_call(self) -> Estimate: ...

    @property
    def tasks(self) -> tuple[TaskResult, ...]: ...

class ClassResult:
    """Packets of one class."""

    @property
    def name(self) -> str: ...

    @property
    def forwarded(self) -> int: ...

    @property
    def mean_latency_ns(self) -> float: ...

class Sample:
    """One interval of the time series."""

    @property
    def end_ns(self) -> float: ...

    @property
    def offered(self) -> int: ...

    @property
    def forwarded(self) -> int: ...

    @property
    def dropped(self) -> int: ...

    @property
    def mean_latency_ns(self) -> float: ...

    @property
    def busy(self) -> tuple[float, ...]: ...

    @property
    def waiting(self) -> tuple[int, ...]: ...

    @property
    def memory_latency_ns(self) -> float: ...

class Bar:
    """A bucket of a histogram, its ends included."""

    @property
    def low(self) -> int: ...

    @property
    def high(self) -> int: ...

    @property
    def count(self) -> int: ...

class Histogram:
    """Latencies in nanoseconds, in HdrHistogram's layout."""

    def percentile(self, percent: float) -> int: ...

    @property
    def min(self) -> int: ...

    @property
    def max(self) -> int: ...

    @property
    def mean(self) -> float: ...

    @property
    def total(self) -> int: ...

    @property
    def digits(self) -> int: ...

    def bars(self) -> tuple[Bar, ...]: ...

class Results:
    """What a run answers."""

    @property
    def stopped_by(self) -> str: ...

    @property
    def simulated_ns(self) -> float: ...

    @property
    def measured_ns(self) -> float: ...

    @property
    def steps(self) -> int: ...

    @property
    def offered(self) -> int: ...

    @property
    def forwarded(self) -> int: ...

    @property
    def dropped(self) -> int: ...

    @property
    def in_flight(self) -> int: ...

    @property
    def drops(self) -> tuple[DropCount, ...]: ...

    @property
    def offered_pps(self) -> Estimate: ...

    @property
    def throughput_pps(self) -> Estimate: ...

    @property
    def throughput_bps(self) -> Estimate: ...

    @property
    def loss_ratio(self) -> Estimate: ...

    @property
    def mean_latency_ns(self) -> Estimate: ...

    @property
    def latency(self) -> Histogram: ...

    @property
    def cores(self) -> tuple[CoreResult, ...]: ...

    @property
    def queues(self) -> tuple[QueueResult, ...]: ...

    @property
    def classes(self) -> tuple[ClassResult, ...]: ...

    @property
    def series(self) -> tuple[Sample, ...]: ...

    @property
    def memory_latency_ns(self) -> float: ...

    @property
    def memory_gbps(self) -> float: ...

    @property
    def trace_json(self) -> str: ...

    @property
    def trace_left_out(self) -> int: ...

def validate(model: Model) -> None:
    """Raises ModelError if the model can't be run."""

def simulate(model: Model) -> Results:
    """Runs a model; the GIL is free meanwhile and Ctrl-C stops it."""

def simulate_many(models: Sequence[Model], threads: int = 1) -> list[Results]:
    """Runs many models on so many threads; answers in their order."""
