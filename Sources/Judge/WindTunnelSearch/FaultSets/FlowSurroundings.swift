/// The things around a flow's client that outlive its process: the files on its device, and what
/// its servers know. Each flight has its own.
///
/// ```swift
/// plan.restarts = true
/// let found = try await Drill(cassette).search(plan, amid: Device.init) { flow, device in
///   try await visit(flow, keeping: device.folder)
/// }
/// ```
///
/// A process that has ended sends nothing any more, but its code goes on until it asks for
/// something: whatever it writes then has to be kept from the next one.
public protocol FlowSurroundings: Sendable {
  /// Notes that the client's process ends now, in the midst of the flow, which then begins anew:
  /// the next process finds what is on the device at this moment.
  func processEnded()
  /// Returns what the flight has broken, by the names of the flow's own invariants, and removes
  /// what is left of it. It is called once, however the flight has ended.
  func runEnded() -> [Violation]
}

/// The surroundings of a flow whose client keeps nothing that outlives its process.
struct NoSurroundings: FlowSurroundings {
  func processEnded() {}
  func runEnded() -> [Violation] { [] }
}

/// A flow in its surroundings, for one flight.
struct SurroundedFlow: Sendable {
  /// The things that outlive its process.
  let surroundings: any FlowSurroundings
  let run: @Sendable (DrillCall) async -> FlowResult
}
