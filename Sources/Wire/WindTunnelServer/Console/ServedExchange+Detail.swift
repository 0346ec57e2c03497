package import WindTunnel
internal import WindTunnelSymptoms

extension ServedExchange {
  /// The maximum number of displayed messages of a conversation.
  static let messagesMax = 500

  package var request: Request? {
    if case .request(let outcome) = matter { outcome.request } else { nil }
  }

  package var interaction: Interaction? {
    guard case .request(let outcome) = matter, !outcome.request.isWithoutItsContent else {
      return nil
    }
    switch outcome.source {
    case .recording(var recorded, _):
      recorded.request = outcome.request
      return recorded
    case .computed(let response): return Interaction(outcome.request, response)
    case .forward:
      // A conversation consists of more than its handshake.
      return said != nil ? nil : live?.decoded.map { Interaction(outcome.request, $0) }
    case .unmatched: return nil
    }
  }

  package func detail(in scenario: Scenario?) -> [JSON.Member] {
    guard case .request(let outcome) = matter else { return ConsoleDetail.withoutMessages("") }
    let (response, note) = sent(outcome)
    var told = Interaction(outcome.request, response ?? Response())
    if case .recording(let recorded, _) = outcome.source { told.messages = recorded.messages }
    if let said { told.messages = said.messages }
    var safe = told.withoutSecrets(by: rules)
    if safe == nil, conversation == nil, said == nil {
      // The recorded messages were not sent.
      told.messages = []
      safe = told.withoutSecrets(by: rules)
    }
    let length = outcome.request.headers.contentLength ?? 0
    let asked =
      outcome.request.isWithoutItsContent
      ? ConsoleDetail.Unshown(bytes: length, words: "passed on as a stream and not stored") : nil
    return ConsoleDetail.members(safe, hasResponse: response != nil, without: (asked, note)) + [
      .init("stages", stages), .init("match", match(outcome)),
      .init("rules", .texts(rules(in: scenario))), .init("messages", messages(safe?.messages)),
      .init("unshown", .orNull(unshownMessages(isSafe: safe != nil))),
    ]
  }

  /// The reason why not all messages of the conversation are displayed, as a sentence.
  private func unshownMessages(isSafe: Bool) -> String? {
    guard conversation != nil || said != nil else { return nil }
    if !isSafe {
      return
        "No message is shown, because one of them cannot be searched for secrets."
    }
    if let end = said?.end { return "Later messages are not shown: \(end)." }
    guard let conversation else { return nil }
    let further = conversation.further + max(0, conversation.messages.count - Self.messagesMax)
    return further > 0 ? "\(further) further messages are not shown." : nil
  }

  /// Returns the response that was sent, and why its content is not displayed; `nil` if it is
  /// unknown, because a fault changed it.
  private func sent(_ outcome: Outcome) -> (Response?, ConsoleDetail.Unshown?) {
    let done = outcome.decision.faults.filter { fault in !undone.contains { $0.fault == fault } }
    guard !done.contains(where: \.replacesOrCuts) else { return (nil, nil) }
    switch outcome.source {
    case .recording(let recorded, _): return (recorded.response, nil)
    case .computed(let response): return (response, nil)
    case .forward: return passed
    case .unmatched: return (nil, nil)
    }
  }

  /// The decoded response of the origin, and why its content is not displayed.
  private var passed: (Response?, ConsoleDetail.Unshown?) {
    guard let live else { return (nil, nil) }
    if let decoded = live.decoded { return (decoded, nil) }
    let words =
      if isContentForgotten {
        "no longer stored, in favour of newer ones"
      } else if live.content != nil {
        "encoded in \(live.head.headers["Content-Encoding"] ?? "something"), which is not supported"
      } else if live.bytes > Self.contentBytesMax {
        "too large to search for secrets; record it to keep it"
      } else {
        "incomplete, so it cannot be searched for secrets"
      }
    var bare = Response()
    bare.head = live.head
    return (bare, ConsoleDetail.Unshown(bytes: live.bytes, words: words))
  }

  /// The conversation so far. A live one contains its messages. A recorded one contains the
  /// recorded messages by number, and the fact that other messages were received.
  private func messages(_ recorded: [WebSocketMessage]?) -> JSON {
    guard let recorded else { return conversation != nil || said != nil ? .array([]) : .null }
    if said != nil {
      return .array(recorded.map { Self.line(of: $0, from: $0.sender, at: $0.offset) })
    }
    guard let conversation else { return .null }
    return .array(
      conversation.messages.prefix(Self.messagesMax).map { message in
        let known = message.number.flatMap { number in
          recorded.indices.contains(number - 1) ? recorded[number - 1] : nil
        }
        return Self.line(of: known, from: message.sender, at: message.at)
      }
    )
  }

  private static func line(
    of message: WebSocketMessage?,
    from sender: WebSocketMessage.Sender,
    at moment: Duration
  ) -> JSON {
    let kind =
      switch message?.kind {
      case .text, nil: "text"
      case .binary: "binary"
      case .close: "close"
      }
    return [
      "at": .milliseconds(moment), "from": .text(sender.rawValue), "kind": .text(kind),
      "text": .text(message.map { $0.body.text ?? "" } ?? "not on the cassette"),
      "bytes": .number(message?.body.count ?? 0), "faults": .array([]),
    ]
  }

  // MARK: Stages

  private var stages: JSON {
    var stages: [(String, Duration)] = []
    if let handshake { stages.append(("handshake", handshake)) }
    if let upload { stages.append(("upload", upload)) }
    if let firstByte { stages.append(("wait", firstByte - at)) }
    if let firstByte, let over { stages.append(("content", over - firstByte)) }
    return .array(
      stages.map { ["name": .text($0.0), "milliseconds": .milliseconds(max(.zero, $0.1))] }
    )
  }

  // MARK: Matching

  private func match(_ outcome: Outcome) -> JSON {
    let asked = "\(outcome.request.method) \(address)"
    switch outcome.source {
    case .recording(let interaction, let place):
      let known = ConsoleDetail.address(of: interaction.request, by: rules)
      let recorded = "\(interaction.request.method) \(known?.description ?? "")"
      let withheld = outcome.decision.faults.contains(where: \.replacesOrCuts)
      let fate = withheld ? "; a fault withheld its response, and the next request receives it" : ""
      return ConsoleDetail.match("\(asked) is interaction #\(place + 1), \(recorded)\(fate).")
    case .computed: return ConsoleDetail.match("\(asked) was matched by a stub or a function.")
    case .forward: return ConsoleDetail.match(forwarded(asked, outcome))
    case .unmatched(let mismatch):
      let times = mismatch.played == 1 ? "once" : "\(mismatch.played) times"
      let words =
        mismatch.played > 0
        ? "\(asked) was played \(times), and no further recording exists."
        : mismatch.candidates.isEmpty
          ? "\(asked) is not on the cassette, and no recording is similar."
          : "\(asked) is not on the cassette; these are the nearest."
      return ConsoleDetail.match(words, mismatch.candidates.map { candidate($0, outcome.request) })
    }
  }

  private func forwarded(_ asked: String, _ outcome: Outcome) -> String {
    if !outcome.forwards { return "\(asked) had a fault; no request was sent to the live server." }
    if let notAsked { return "\(asked) was not passed on to the live server. \(notAsked)" }
    if case .failed(let symptom)? = end?.ending {
      return "\(asked) was passed on to the live server, which failed (\(symptom.rawValue))."
    }
    return "\(asked) was passed on to the live server."
  }

  // MARK: Rules

  /// The decided faults, each with the rules that may have caused it.
  private func rules(in scenario: Scenario?) -> [String] {
    guard let scenario, case .request(let outcome) = matter else { return [] }
    return outcome.decision.faults.map { fault in
      let places = scenario.rules.indices.filter { place in
        let rule = scenario.rules[place]
        return rule.trigger.request?.matches(outcome.request) != false
          && rule.faults.contains { $0.name == fault.name }
      }
      let named = places.map { "rule \($0 + 1), \(scenario.rules[$0].place)" }
      return named.isEmpty ? fault.words : "\(fault.words): \(named.joined(separator: "; or "))"
    }
  }

  private func candidate(_ candidate: Mismatch.Candidate, _ request: Request) -> JSON {
    func safe(_ text: String) -> String { text.withoutSecrets(of: [request], by: rules) }
    let differences = candidate.differences.map { difference in
      let isSecret =
        difference.at?.namesSecret(by: rules) ?? false || difference.name.hasPrefix("body")
      return isSecret ? difference.name : safe(difference.description)
    }
    return [
      "interaction": .number(candidate.number), "request": .text(safe(candidate.request)),
      "differences": .texts(differences),
    ]
  }
}

extension LiveResponse {
  /// The response with decoded content; `nil` if the content is missing or cannot be decoded.
  fileprivate var decoded: Response? {
    guard let content else { return nil }
    var response = Response()
    (response.head, response.body) = (head, content)
    let codings = head.headers.values("Content-Encoding")
    if codings.isEmpty || content.count == 0 { return response }
    do throws(ContentDecoder.Failure) {
      let decoder = try ContentDecoder(codings, bytesMax: Self.decodedBytesMax)
      response.body = Body(try decoder.decode(content.data))
      guard decoder.isWhole else { return nil }
    } catch {
      return nil
    }
    for name in ["Content-Encoding", "Content-Length"] { response.head.headers[name] = nil }
    return response
  }

  /// The maximum size of decoded content in bytes.
  private static let decodedBytesMax = 4 << 20
}
