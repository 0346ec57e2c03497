internal import Foundation
internal import WindTunnel

typealias RenderedResponseKey = PlainAnswer
struct RenderedResponseCache<Rendered> {
  var kept = PlainAnswers<Rendered>()
  private(set) var hits = 0
  mutating func find(_ key: RenderedResponseKey) -> Rendered? {
    guard let found = kept[key] else { return nil }
    hits += 1
    return found
  }
  mutating func keep(_ rendered: Rendered, under key: RenderedResponseKey, weighing: Int) {
    kept.keep(rendered, of: key, weighing: weighing)
  }
}
extension Outcome { var renderedKey: RenderedResponseKey? { plain } }
extension Deck {
  enum RepeatedArrival { case sameResponse, decided(Outcome), outdated }
  func prepareAndDecide(_ request: Request, lane: Lane, at now: Date?) -> (
    outcome: Outcome, prepared: PreparedRequest
  ) {
    let prepared = prepare(request)
    return (decide(request, as: prepared, lane: lane, at: now), prepared)
  }
  func decide(
    _ prepared: PreparedRequest,
    holding key: RenderedResponseKey?,
    lane: Lane,
    at now: Date?
  ) -> RepeatedArrival {
    if let key, decidePlainly(prepared, as: key, lane: lane, at: now) { return .sameResponse }
    do throws(OtherTape) { return .decided(try decide(prepared, lane: lane, at: now)) } catch {
      return .outdated
    }
  }
}
