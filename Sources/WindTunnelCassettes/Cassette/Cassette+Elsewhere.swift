package import Foundation

extension Cassette {
  /// Reads a cassette that is no file, such as one of an earlier commit; `sideFile` answers the
  /// content of a side file, or `nil` if there is none.
  package init(data: Data, source: String, sideFile: @escaping (String) throws -> Data?) throws {
    self = try CassetteFormat.decode(data, source: source) { name in
      func refusal(_ problem: String) -> FormatError {
        FormatError(source: source, place: "", problem: "side file \(name.prefix(80)): \(problem)")
      }
      guard name.utf8.count == 64, name.allSatisfy({ $0.isHexDigit && $0.isASCII }) else {
        throw refusal("this is no SHA-256")
      }
      guard let data = try sideFile(name) else { throw refusal("it is not there") }
      guard SHA256.hexadecimal(data) == name.lowercased() else {
        throw refusal("the bytes are not those that the name promises")
      }
      return data
    }
  }
}
