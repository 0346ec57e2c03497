internal import Foundation
internal import WindTunnelSymptoms

// Changes to an answer, and what is wrong with its form.
extension Script {
  mutating func alter(_ alteration: Alteration, _ request: Request) throws(Mutation.Misfit) {
    if let obstacle { throw Mutation.Misfit(obstacle) }
    guard let head else { throw Mutation.Misfit("there is no answer") }
    switch alteration {
    case .contentType(let type): self.head?.headers["Content-Type"] = type
    case .contentEncoding(let coding):
      let name = coding == .unknown ? "x-unknown" : coding.rawValue
      guard !isContentless, !body.isEmpty else { throw Mutation.Misfit("the answer has no body") }
      guard head.headers["Content-Encoding"] == nil else {
        throw Mutation.Misfit("the body is in a coding already")
      }
      self.head?.headers["Content-Encoding"] = name
    case .stale(let seconds): self.head?.headers["Age"] = String(seconds)
    case .moreFields(let count):
      for number in 1...max(1, count) { self.head?.headers.append("X-Filler-\(number)", "filler") }
    case .longField(let count):
      self.head?.headers.append("X-Filler", String(repeating: "f", count: count))
      if stage == .inProcess, count > Alteration.clientFieldBytesMax {
        stops.append(Stop(.afterRequest, .end(.fail(.malformedResponse))))
      }
    case .interimResponses(let count): interimResponses += count
    case .body(let content):
      guard recordedCut == nil else { throw Mutation.Misfit("the recording is of a cut answer") }
      guard !isContentless else { throw Mutation.Misfit("the answer has no body") }
      let changed = Response(
        status: head.status,
        headers: head.headers,
        body: Body(Self.changed(body, content))
      )
      answer(changed, to: request)
      pieces.join()
    }
  }

  private static func changed(_ body: Data, _ content: Alteration.Content) -> Data {
    switch content {
    case .duplicated: body + body
    case .empty: Data()
    // RFC 3629 §3: 0xC3 wants another byte, and 0xFF never stands anywhere.
    case .invalidUTF8: body + Data([0xC3, 0xFF])
    case .invalidJSON: body + Data("]".utf8)
    }
  }

  mutating func malform(_ malformation: Malformation) throws(Mutation.Misfit) {
    guard self.malformation == nil else {
      throw Mutation.Misfit("the answer is malformed in another way")
    }
    guard recordedCut == nil else { throw Mutation.Misfit("the recording is of a failure") }
    if head == nil {
      let notice = Self.notice(200, "This answer was injected.\n")
      (head, body, isLive) = (notice.head, notice.body.data, false)
    }
    guard !malformation.needsContent || !isContentless && !body.isEmpty else {
      throw Mutation.Misfit("the answer has no body")
    }
    self.malformation = malformation
  }
}
