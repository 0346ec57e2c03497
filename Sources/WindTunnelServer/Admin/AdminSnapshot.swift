internal import WindTunnel

/// What a server is like at one moment.
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

/// What an answer of the admin port asks the server to do before it goes out.
enum AdminChange: Sendable, Hashable {
  case reset
  case fly(ScenarioOrder)
}
