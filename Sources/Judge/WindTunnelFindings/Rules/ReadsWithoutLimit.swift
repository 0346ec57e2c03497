extension FindingRule {
  /// A client keeps of an answer whatever comes.
  static let readsWithoutLimit = FindingRule(
    id: "reads-without-limit",
    title: "Fills its memory with an answer that is too large.",
    condition:
      "an answer came that does not end or opens to a thousand times its size, and the memory of the "
      + "client's program was seen",
    cost: "One broken or hostile server ends the process, and all that other users had in it.",
    fix:
      "Set a limit to the bytes of a body, counted after it is opened, and give up beyond it; or read it "
      + "piece by piece and keep none.",
    source: "CWE-400; CWE-409 (decompression bombs); OWASP API4:2023 (unrestricted consumption)",
    clients: [.program, .service]
  ).together(.memory) { rule, _, flight in
    // What it has in any call is its own.
    let usual = flight.calls.filter { !$0.metUnboundedBody }.compactMap(\.memory?.peakBytes).max()
    let judged = flight.calls.indices.filter { place in
      let call = flight.calls[place]
      return call.isJudged && call.metUnboundedBody && call.growth(beyond: usual) != nil
    }
    let broken = judged.filter { place in
      (flight.calls[place].growth(beyond: usual) ?? 0) > Observation.Memory.growthMax
    }
    return rule.standing(broken, of: judged.count, in: flight) { place in
      let call = flight.calls[place]
      let end = call.memory?.wasEnded == true ? ", and the drill ended it" : ""
      return Violation(
        "\(call.unboundedWords), it had \(Figures.bytes(call.memory?.peakBytes)) of memory, "
          + "\(Figures.bytes(call.growth(beyond: usual))) more than before\(end)."
      )
    }
  }
}

extension Observation.Memory {
  /// The bytes by which a client may grow with one answer.
  package static let growthMax = 256 << 20
}

extension Observation {
  /// Tells whether an answer of it had a body to which only the client sets a limit.
  fileprivate var metUnboundedBody: Bool {
    attempts.contains { $0.decision.faults.contains(where: \.isUnbounded) }
  }

  /// The answer, as the beginning of a sentence.
  fileprivate var unboundedWords: String {
    let isEndless = attempts.flatMap(\.decision.faults).contains {
      if case .alter(.endlessBody) = $0 { true } else { false }
    }
    return isEndless
      ? "Sent a body that does not end" : "Sent a small gzip body that opens to a large one"
  }

  /// The bytes by which its program grew beyond what it has in other calls and had before this one.
  fileprivate func growth(beyond usual: Int?) -> Int? {
    guard let memory = self.memory,
      let least = [usual, memory.beforeBytes].compactMap(\.self).max()
    else {
      return nil
    }
    return max(0, memory.peakBytes - least)
  }
}
