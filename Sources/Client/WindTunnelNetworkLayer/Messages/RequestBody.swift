public import Foundation

/// The content of a request, with its media type.
public struct RequestBody: Sendable, Hashable {
  private enum Source: Sendable, Hashable {
    case data(Data)
    case file(URL)
    case parts(MultipartBody, boundary: String)
  }

  private let source: Source
  /// The value of `Content-Type`; `nil` to send none. An endpoint's own header field replaces it.
  public let contentType: String?

  /// Returns content that consists of bytes in memory.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(source: .data(data), contentType: contentType)
  }

  /// Returns the content of a file, which is never loaded into memory as a whole.
  public static func file(_ file: URL, contentType: String? = nil) -> RequestBody {
    RequestBody(source: .file(file), contentType: contentType)
  }

  /// Returns a value as JSON content.
  ///
  /// - Throws: ``RequestError/body(_:)`` if it cannot be encoded.
  public static func json(
    _ value: some Encodable,
    by encoder: JSONEncoder = .ofRequests
  ) throws(RequestError) -> RequestBody {
    do {
      return data(try encoder.encode(value), contentType: "application/json")
    } catch {
      throw .body("\(error)")
    }
  }

  /// Returns names and values as a form (WHATWG URL §5.2).
  public static func form(_ fields: [Headers.Field]) -> RequestBody {
    data(Data(fields.encoded.utf8), contentType: "application/x-www-form-urlencoded")
  }

  /// Returns content with several parts, such as a form with files (RFC 7578).
  ///
  /// - Throws: ``RequestError/body(_:)`` if a part's file cannot be read.
  public static func multipart(_ parts: [MultipartBody.Part]) throws(RequestError) -> RequestBody {
    let body = MultipartBody(parts)
    do {
      let boundary = try body.boundary()
      let type = "multipart/form-data; boundary=\(boundary)"
      let isInMemory = parts.allSatisfy { if case .data = $0.content { true } else { false } }
      guard isInMemory else {
        return RequestBody(source: .parts(body, boundary: boundary), contentType: type)
      }
      var data = Data()
      try body.write(separatedBy: boundary) { data += $0 }
      return RequestBody(source: .data(data), contentType: type)
    } catch {
      throw .body(error.localizedDescription)
    }
  }

  /// The content if it is in memory; `nil` if it is in files.
  public var data: Data? {
    if case .data(let data) = source { data } else { nil }
  }

  /// The number of bytes; 0 for parts with files, whose total is unknown.
  var count: Int {
    switch source {
    case .data(let data): data.count
    case .file(let file): (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
    case .parts: 0
    }
  }

  /// Returns a file with the content. Content in memory is written to a temporary file.
  package func contentFile() throws(RequestError) -> SentFile {
    if let file = try sentFile() { return file }
    do { return try SentFile { take in if let data { try take(data) } } } catch {
      throw .body(error.localizedDescription)
    }
  }

  /// Returns the file to send; `nil` if the content is in memory.
  func sentFile() throws(RequestError) -> SentFile? {
    do {
      switch source {
      case .data: return nil
      case .file(let file): return try SentFile(file)
      case .parts(let body, let boundary):
        return try SentFile { take in try body.write(separatedBy: boundary, to: take) }
      }
    } catch {
      throw .body(error.localizedDescription)
    }
  }
}

extension JSONEncoder {
  /// An encoder whose output is the same for equal values, so that equal calls send equal requests.
  public static var ofRequests: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

/// A file that is sent as a request's content.
package final class SentFile: Sendable {
  package let url: URL
  /// The SHA-256 of its bytes, in base64.
  package let sha256: String
  /// Whether the file is temporary and belongs to one call.
  private let isOwn: Bool

  /// Creates a value for a file of the user.
  init(_ url: URL) throws {
    (self.url, isOwn) = (url, false)
    sha256 = try FileDigest.sha256(of: url)
  }

  /// Creates a temporary file from written bytes. It is removed together with this value.
  init(_ write: (_ take: (Data) throws -> Void) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).body")
    (self.url, isOwn) = (url, true)
    do {
      // Other users of the machine must not read the content.
      let isMade = FileManager.default.createFile(
        atPath: url.path,
        contents: nil,
        attributes: [.posixPermissions: 0o600]
      )
      guard isMade else { throw CocoaError(.fileWriteUnknown) }
      let handle = try FileHandle(forWritingTo: url)
      // A failed write has already thrown an error.
      defer { try? handle.close() }
      try write { try handle.write(contentsOf: $0) }
      sha256 = try FileDigest.sha256(of: url)
    } catch {
      // `deinit` does not run if the initializer throws.
      try? FileManager.default.removeItem(at: url)
      throw error
    }
  }

  // The temporary file has no other user.
  deinit { if isOwn { try? FileManager.default.removeItem(at: url) } }
}
