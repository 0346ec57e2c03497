extension JSON {
  /// The value with numbers in plain decimal notation: `199e-1` becomes `19.9`.
  package var inPlainNumbers: JSON {
    guard case .number(let digits) = self else { return changingParts { $1.inPlainNumbers } }
    return .number(Self.plain(number: digits))
  }

  /// Returns a number without an exponent if the exponent is small; otherwise the number unchanged.
  static func plain(number: String) -> String {
    let parts = number.split(separator: "e", maxSplits: 1)
    guard parts.count == 2, let exponent = Int(parts[1]), -20...20 ~= exponent,
      !parts[0].contains(".")
    else { return number }
    let sign = parts[0].hasPrefix("-") ? "-" : ""
    let digits = String(parts[0].drop { $0 == "-" })
    if exponent >= 0 { return sign + digits + String(repeating: "0", count: exponent) }
    let zeros = max(0, 1 - exponent - digits.count)
    let filled = String(repeating: "0", count: zeros) + digits
    return "\(sign)\(filled.dropLast(-exponent)).\(filled.suffix(-exponent))"
  }
}
