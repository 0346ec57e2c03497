internal import Foundation
internal import WindTunnelSymptoms

extension Interaction {
  private static let reason = "the recording ended before it"
  /// The failure of a response that was incomplete at the end of a recording. It is not a failure
  /// of the origin.
  package static let cut = Failure(.cancelled, text: reason)
  /// The note of a conversation that was incomplete at the end of a recording.
  package static let incomplete = JSON.Member("_incomplete", .text(reason))

  /// Whether the interaction is incomplete because the recording ended first.
  package var isPart: Bool { failure == Self.cut || notes.contains(Self.incomplete) }

  /// An incomplete text response without its last, partial line. It cannot be determined whether a
  /// truncated value is a secret.
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

  /// The properties by which a recorder distinguishes requests, independent of the ordinals of
  /// secrets.
  fileprivate var question: Request {
    var question = Interaction(request, .failure(Self.cut)).renumbered { _ in 1 }.request
    question.headers = HeaderFields(question.headers.filter { $0.name.lowercased() == "range" })
    return question
  }
}

extension [Interaction] {
  /// Removes incomplete interactions that others replace. Each response replaces one incomplete
  /// interaction with the same request.
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

  /// Removes incomplete interactions whose request also has a complete recording.
  package mutating func removeParts(beside others: [Interaction]) {
    let questions = Set(others.lazy.filter { !$0.isPart }.map(\.question))
    removeAll { $0.isPart && questions.contains($0.question) }
  }
}

extension Cassette {
  /// The number of incomplete interactions that this cassette has more than another one.
  package func newParts(beside old: Cassette) -> Int {
    max(0, interactions.count(where: \.isPart) - old.interactions.count(where: \.isPart))
  }
}
