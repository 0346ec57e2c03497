/// The state around a flow's client that outlives its process: the files on its device, and the
/// state of its servers. Each run has its own surroundings.
///
/// ```swift
/// plan.restarts = true
/// let found = try await Drill(cassette).search(plan, amid: Device.init) { flow, device in
///   try await visit(flow, keeping: device.folder)
/// }
/// ```
///
/// An ended process sends nothing more, but its code continues until its next request. The
/// surroundings must hide everything that it writes until then from the next process.
public protocol FlowSurroundings: Sendable {
  /// Handles the end of the client's process during the flow, which then starts again. The next
  /// process finds the state of the device at this moment.
  func processEnded()
  /// Returns the violations of the flow's own invariants, and removes the state of the run. Called
  /// once, however the run has ended.
  func runEnded() -> [Violation]
}

/// The surroundings of a flow whose client keeps no state beyond its process.
struct NoSurroundings: FlowSurroundings {
  func processEnded() {}
  func runEnded() -> [Violation] { [] }
}

/// A flow in its surroundings, for one run.
struct SurroundedFlow: Sendable {
  /// The state that outlives its process.
  let surroundings: any FlowSurroundings
  let run: @Sendable (DrillCall) async -> FlowResult
}
