internal import Foundation
internal import WindTunnelSymptoms

extension Interaction {
  private static let reason = "the recording was ended before it"
  /// The end of a response that still came when a recording was ended: no fault of the origin.
  package static let cut = Failure(.cancelled, text: reason)
  /// The note of a conversation that still went on then.
  package static let incomplete = JSON.Member("_incomplete", .text(reason))

  /// Whether a recording was ended before the exchange, so that only a part of it is there.
  package var isPart: Bool { failure == Self.cut || notes.contains(Self.incomplete) }

  /// A part without the end of its text that is no whole line: of a value that is cut it is unknown
  /// whether it is a secret, and which.
  package var inWholeLines: Interaction {
    guard case .cut(var response, let failure) = result,
      ContentType(response.headers["Content-Type"] ?? "").isText
    else { return self }
    var (part, data) = (self, response.body.data)
    data.removeSubrange((data.lastIndex(of: 0x0A).map { $0 + 1 } ?? data.startIndex)...)
    response.body = Body(data)
    part.result = .cut(response, failure)
    return part
  }

  /// The request by all that a recorder tells requests apart by, whatever its secrets are called.
  fileprivate var question: Request {
    var question = Interaction(request, .failure(Self.cut)).renumbered { _ in 1 }.request
    question.headers = HeaderFields(question.headers.filter { $0.name.lowercased() == "range" })
    return question
  }
}

extension [Interaction] {
  /// Removes the parts that others replace: each response replaces one part that was asked the
  /// same.
  package mutating func removeParts(replacedBy others: [Interaction]) {
    guard contains(where: \.isPart) else { return }
    var left: [Request: Int] = [:]
    for other in others where other.response != nil || !other.messages.isEmpty {
      left[other.question, default: 0] += 1
    }
    removeAll { part in
      guard part.isPart, let count = left[part.question], count > 0 else { return false }
      left[part.question] = count - 1
      return true
    }
  }

  /// Removes parts of what whole recordings were asked, too.
  package mutating func removeParts(beside others: [Interaction]) {
    let questions = Set(others.lazy.filter { !$0.isPart }.map(\.question))
    removeAll { $0.isPart && questions.contains($0.question) }
  }
}

extension Cassette {
  /// The number of parts that it has more than another.
  package func newParts(beside old: Cassette) -> Int {
    max(0, interactions.count(where: \.isPart) - old.interactions.count(where: \.isPart))
  }
}
