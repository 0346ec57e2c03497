public import Foundation
public import WindTunnelSymptoms

/// The response of a stub, or a sequence of responses for successive equal requests.
public struct StubResponse: Sendable, Hashable {
  let answers: [RecordedResult]
  /// The policy after the last response; `nil` for the deck's.
  var then: EndPolicy?

  /// The maximum size of a stub's file, in bytes.
  public static let fileBytesMax = Cassette.fileBytesMax

  /// Creates a stub's response from a complete response.
  public static func response(_ response: Response) -> Self { Self(answers: [.response(response)]) }

  /// Creates a response whose content is JSON.
  public static func json(_ json: JSON, status: Int = 200, headers: HeaderFields = [:]) -> Self {
    .response(.json(json, status: status, headers: headers))
  }

  /// Creates a response whose content is plain text.
  public static func text(_ text: String, status: Int = 200, headers: HeaderFields = [:]) -> Self {
    .response(.text(Body(text), status: status, headers: headers))
  }

  /// Creates a response whose content is bytes of a media type.
  public static func data(
    _ data: Data,
    type: String,
    status: Int = 200,
    headers: HeaderFields = [:]
  ) -> Self {
    .response(.data(data, type: type, status: status, headers: headers))
  }

  /// Creates a response whose content is a file's bytes, which are read now.
  ///
  /// If the file cannot be read, the response is a 501 with the reason.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which may be relative to the working directory.
  ///   - type: The media type; `nil` for JSON or text by the path's extension, or otherwise bytes.
  ///   - status: The status code.
  ///   - headers: Further header fields.
  /// - Returns: The response.
  public static func file(
    _ path: String,
    type: String? = nil,
    status: Int = 200,
    headers: HeaderFields = [:]
  ) -> Self {
    let file = URL(fileURLWithPath: path)
    do throws(FileError) {
      let data = try FileError.reading(file, bytesMax: fileBytesMax)
      let known = ["json": "application/json", "txt": "text/plain; charset=utf-8"]
      let type = type ?? known[file.pathExtension] ?? "application/octet-stream"
      return .data(data, type: type, status: status, headers: headers)
    } catch {
      return .response(.text("The stub's file cannot be played. \(error)\n", status: 501))
    }
  }

  /// Creates a response without content.
  public static func status(_ status: Int, headers: HeaderFields = [:]) -> Self {
    .response(.empty(status, headers: headers))
  }

  /// Creates a failure instead of a response, like a recorded failure.
  public static func failure(_ symptom: Symptom) -> Self {
    Self(answers: [.failure(Failure(symptom))])
  }

  /// Creates a sequence: each of equal requests receives the next response.
  ///
  /// - Parameters:
  ///   - responses: The responses in order.
  ///   - then: The policy after the last response, which by default is repeated.
  /// - Returns: The sequence.
  public static func responses(_ responses: [Self], then: EndPolicy = .repeat) -> Self {
    if responses.isEmpty { return .response(.text("The stub has no responses.\n", status: 501)) }
    return Self(answers: responses.flatMap(\.answers), then: then)
  }
}
