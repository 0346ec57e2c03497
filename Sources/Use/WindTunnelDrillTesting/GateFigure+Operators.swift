public import WindTunnel

// A test imports this module as a whole. An operator is not visible through a re-export of single
// declarations, so the operators are here and not beside `Gate`.
extension GateFigure {
  /// Returns the gate that a metric is at least a value.
  public static func >= (one: Self, bar: Value) -> Gate { one.gate(.atLeast, one.bar(bar)) }
  /// Returns the gate that a metric is at most a value.
  public static func <= (one: Self, bar: Value) -> Gate { one.gate(.atMost, one.bar(bar)) }
  /// Returns the gate that a metric equals a value.
  public static func == (one: Self, bar: Value) -> Gate { one.gate(.equal, one.bar(bar)) }
  /// Returns the gate that a metric does not equal a value.
  public static func != (one: Self, bar: Value) -> Gate { one.gate(.unequal, one.bar(bar)) }
  /// Returns the gate that a metric is above a value.
  public static func > (one: Self, bar: Value) -> Gate { one.gate(.above, one.bar(bar)) }
  /// Returns the gate that a metric is below a value.
  public static func < (one: Self, bar: Value) -> Gate { one.gate(.below, one.bar(bar)) }
  /// Returns the gate that a metric is at least a baseline.
  public static func >= (one: Self, bar: GateBaseline) -> Gate { one.gate(.atLeast, bar.bar) }
  /// Returns the gate that a metric is at most a baseline.
  public static func <= (one: Self, bar: GateBaseline) -> Gate { one.gate(.atMost, bar.bar) }
  /// Returns the gate that a metric equals a baseline.
  public static func == (one: Self, bar: GateBaseline) -> Gate { one.gate(.equal, bar.bar) }
  /// Returns the gate that a metric does not equal a baseline.
  public static func != (one: Self, bar: GateBaseline) -> Gate { one.gate(.unequal, bar.bar) }
  /// Returns the gate that a metric is above a baseline.
  public static func > (one: Self, bar: GateBaseline) -> Gate { one.gate(.above, bar.bar) }
  /// Returns the gate that a metric is below a baseline.
  public static func < (one: Self, bar: GateBaseline) -> Gate { one.gate(.below, bar.bar) }

  private func gate(_ comparison: Gate.Comparison, _ bar: Gate.Bar) -> Gate {
    Gate(metric, of: endpoint, comparison, bar, in: scope?.prefix)
  }
}
