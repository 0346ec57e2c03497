import Mutations
import TestSupport

@testable import WindTunnelHTTP

@Suite struct JSONPathTests {
  /// What a path means, by trying each place for each `..` one after the other.
  private func leads(_ steps: ArraySlice<JSONPath.Step>, to way: ArraySlice<JSONPath.Step>) -> Bool
  {
    guard let step = steps.first else { return way.isEmpty }
    if step == .descend {
      return (way.startIndex...way.endIndex).contains { leads(steps.dropFirst(), to: way[$0...]) }
    }
    guard let here = way.first, step == .any || step == here else { return false }
    return leads(steps.dropFirst(), to: way.dropFirst())
  }

  @Test func `a path means what trying every way to read it finds`() throws {
    var generator = Generator(seed: 4)
    let words = [".a", ".b", "[0]", ".*", "..a", "..*", "..[0]"]
    let places: [JSONPath.Step] = [.name("a"), .name("b"), .index(0), .index(1)]
    var found = 0
    for _ in 0..<5_000 {
      let text = (0..<Int.random(in: 0...5, using: &generator)).map { _ in generator.pick(words) }
      let path = try #require(JSONPath("$" + text.joined()))
      let way = (0..<Int.random(in: 0...6, using: &generator)).map { _ in generator.pick(places) }
      let prefixes = (0...way.count).map { way.prefix($0) }
      let isMeant = leads(path.steps[...], to: way[...])
      expectEqual(path.leads(to: way), isMeant, "\(path) \(way)")
      let isCovered = prefixes.contains { leads(path.steps[...], to: $0) }
      expectEqual(path.covers(way), isCovered, "\(path) \(way)")
      found += isMeant ? 1 : 0
    }
    #expect(found > 100)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a path of many descents is followed through a deep body`() throws {
    let path = try #require(JSONPath("$" + String(repeating: "..*", count: 14) + ".zz"))
    let way = Array(repeating: JSONPath.Step.name("a"), count: 60)
    #expect(!path.covers(way) && !path.leads(to: way))
    #expect(path.leads(to: way + [.name("zz")]))
    #expect(path.covers(way + [.name("zz"), .index(0)]))
  }
}
