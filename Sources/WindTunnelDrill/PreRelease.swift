public import WindTunnel

extension Scenario {
  /// What is short enough for a test of every push: the group `every-push` of what ships.
  ///
  ///     @Test(arguments: Scenario.everyPush)
  public static let everyPush = group(Shipped.everyPush)

  /// All that a release must fly: the group `pre-release` of what ships, which is both others. Some of
  /// its networks come back only after seconds, so a drill in it wants `.openLoop` and a few hundred
  /// calls.
  public static let preRelease = group(Shipped.preRelease)

  /// Networks that come and go: the group `weak-network` of what ships.
  public static let weakNetwork = group(Shipped.weakNetwork)

  private static func group(_ names: [String]) -> [Scenario] {
    do {
      return try Shipped.scenarios(named: names)
    } catch {
      // It is inside the binary, where nobody can have changed it.
      preconditionFailure("A shipped scenario does not read: \(error)")
    }
  }
}

extension [Scenario] {
  /// What is short enough for a test of every push.
  public static var everyPush: [Scenario] { Scenario.everyPush }
  /// All that a release must fly.
  public static var preRelease: [Scenario] { Scenario.preRelease }
  /// Networks that come and go.
  public static var weakNetwork: [Scenario] { Scenario.weakNetwork }
}
