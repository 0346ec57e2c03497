import TestSupport
import WindTunnelSearch

/// What outlives the processes of a flow, with the requests that the flow sends.
protocol StormWorld: FlowSurroundings {
  static var cassette: Cassette { get }
  /// The rules that the sound flow breaks for a reason.
  static var allowed: Set<String> { get }
  init() throws
}

extension StormWorld {
  static var allowed: Set<String> { [] }
}

/// The searches over the flows of the reference client that keep something.
///
/// In the suite each single thing is tried; `Scripts/development/layer-storms` asks for all pairs.
enum LayerStorms {
  private static func value(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  /// The depth of searches over sound flows.
  static let depth = value("WINDTUNNEL_STORM_DEPTH").flatMap { Int($0) } ?? 1
  /// The time limit of a search: in the suite a test's, and more if pairs are asked for.
  static let minutesMax = depth > 1 ? 180 : 5
  /// The number of threads that fly at once.
  private static let workers = value("WINDTUNNEL_STORM_WORKERS").flatMap { Int($0) } ?? 2
  /// The folder of the certificates; `nil`: none is kept.
  private static let folder = value("WINDTUNNEL_CERTIFICATES").map { URL(filePath: $0) }

  /// Expects that no fault set sinks a sound flow, and keeps the certificate.
  static func expectSound<World: StormWorld>(
    of name: String,
    amid _: World.Type,
    _ flow: @escaping @Sendable @concurrent (DrillCall, World) async throws -> String
  ) async throws {
    var plan = SearchPlan()
    (plan.depth, plan.budget, plan.workers) = (depth, nil, workers)
    (plan.restarts, plan.allowed) = (true, World.allowed)
    (plan.orders, plan.ordersOfSingles) = depth > 1 ? (100, 4) : (10, 0)
    let begun = ContinuousClock.now
    let drill = Drill(World.cassette)
    let found = try await drill.search(as: name, plan, amid: World.init) { certificate in
      let time = ContinuousClock.now - begun
      print("\(name): \(certificate.runs) fault sets in \(time), found: \(words(certificate))")
    } _: {
      try await flow($0, $1)
    }
    if let folder {
      let file = folder.appending(path: "cert-\(name)-depth-\(found.depth)")
      try Data(found.text.utf8).write(to: file.appendingPathExtension("txt"))
      try found.data().write(to: file.appendingPathExtension("json"))
    }
    expectEqual(words(found), [])
    expectEqual(found.notVirtual.map(\.kind), [])
    #expect(found.isRepeatable && found.comparesResults)
    try found.require("searchedDepth >= \(depth)", "finds == 0", "faultSets > 200")
  }

  /// Searches for the smallest fault set that sinks a flow with a planted bug.
  static func find<World: StormWorld>(
    amid _: World.Type,
    _ flow: @escaping @Sendable @concurrent (DrillCall, World) async throws -> String
  ) async throws -> Find {
    var plan = SearchPlan()
    (plan.budget, plan.faultSets, plan.finds) = (nil, 3000, 1)
    (plan.orders, plan.ordersOfSingles) = (0, 0)
    (plan.restarts, plan.allowed) = (true, World.allowed)
    let drill = Drill(World.cassette)
    let found = try await drill.search(plan, amid: World.init, flow)
    let find = try #require(found.finds.first, "nothing is found in \(found.runs) faultSets")
    // Each test that is pasted does this.
    let error = await #expect(throws: FaultSetError.self) {
      try await drill.run(through: find.faultSet, amid: World.init, flow)
    }
    expectEqual(error?.violations.contains { $0.rule == find.violation.rule }, true)
    return find
  }

  /// The finds in words, for expectations.
  static func words(_ certificate: SearchReport) -> [String] {
    certificate.finds.map { "\($0.violation.rule): \($0.violation.seen) \($0.words)" }
  }
}
