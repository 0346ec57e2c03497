internal import WindTunnel

/// The state of a server at one moment.
struct AdminSnapshot: Sendable {
  var log = RequestLog()
  var interactions: [Interaction] = []
  var scenario = Scenario.calm
  var seed: UInt64 = 1
  /// The scenarios that have names.
  var shipped: [Scenario] = []
  var openConnections = 0
  var uptime = Duration.zero
}

/// The change that an answer of the admin port asks of the server before it goes out.
enum AdminChange: Sendable, Hashable {
  case reset
  case fly(ScenarioOrder)
}
