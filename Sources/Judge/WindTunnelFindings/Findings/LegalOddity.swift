extension Observation.Attempt {
  /// The seldom thing about an answer that came whole and within the rules, in words.
  var legalOddity: String? {
    isAnswered ? faults.lazy.compactMap { Self.oddities[$0] }.first : nil
  }

  /// The faults after which an answer is still as the standard has it, in words.
  private static let oddities = [
    "interimResponses": "interim responses (1xx)",
    "dribbleBytes": "its body in pieces of some bytes",
    "stall": "a pause", "headerFields": "many fields",
    "fieldNames": "names of fields in small letters",
  ]
}
