internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Makes a request of the kernel's out of a `URLRequest`.
enum RequestBridge {
  /// A body that is streamed into a task is read up to here; a longer one fails the task.
  static let streamedBodyBytesMax = 256 << 20

  /// A request as the server would get it: with what the configuration adds. A request's own fields
  /// beat the configuration's.
  static func request(
    _ request: URLRequest,
    body: Data,
    _ configuration: URLSessionConfiguration?
  ) -> Request {
    var headers = (request.allHTTPHeaderFields ?? [:]).map { HeaderField($0.key, $0.value) }
    for (name, value) in configuration?.httpAdditionalHeaders ?? [:] {
      let name = "\(name)"
      if !headers.contains(where: { $0.isNamed(name) }) {
        headers.append(HeaderField(name, "\(value)"))
      }
    }
    headers.sort { $0.name < $1.name }
    return Request(
      request.httpMethod ?? "GET",
      RequestURL(request.url?.absoluteString ?? "/"),
      headers: HeaderFields(headers),
      body: Body(body)
    )
  }

  /// Finds the body, wherever the platform keeps it, and answers on the task's queue: `httpBody`,
  /// else the stream, else what an upload task was given.
  static func body(
    of request: URLRequest,
    _ context: LoadingContext,
    _ answer: @escaping (Result<Data, any Error>) -> Void
  ) {
    if let data = request.httpBody { return answer(.success(data)) }
    let source = request.httpBodyStream.map { UploadBody.stream($0) } ?? context.uploadBody
    switch source {
    case nil: answer(.success(Data()))
    case .data(let data): answer(.success(data))
    case .file(let url):
      context.elsewhere({ Result { try Data(contentsOf: url) } }, answer)
    case .stream(let stream):
      // A stream may wait for its writer, and the task's queue serves the whole process.
      context.elsewhere({ Result { try drain(stream) } }, answer)
    }
  }

  private static func drain(_ stream: InputStream) throws -> Data {
    stream.open()
    defer { stream.close() }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
      if count == 0 { return data }
      data.append(contentsOf: buffer.prefix(count))
      guard data.count <= streamedBodyBytesMax else {
        throw HarnessError("The streamed body is longer than \(streamedBodyBytesMax) bytes.")
      }
    }
  }
}

/// The body of an upload task.
enum UploadBody {
  case data(Data)
  case file(URL)
  case stream(InputStream)
}
