public import Foundation

extension Data {
  /// The bytes that hexadecimal digits encode. Other characters are ignored.
  public init(hex text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    self.init(
      stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
      }
    )
  }
}
