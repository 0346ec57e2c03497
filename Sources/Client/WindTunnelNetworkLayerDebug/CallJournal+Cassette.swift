public import WindTunnel
public import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import Foundation
#else
  package import Foundation
#endif

extension CallJournal {
  /// Returns the requests and their responses, the oldest first, as a cassette for tests.
  ///
  /// Secrets are replaced by the standard rules, as in a recording. Cancelled attempts are omitted,
  /// and so is content that cannot be searched for secrets.
  public func cassette() -> Cassette {
    Cassette(entries.compactMap(Interaction.init)).redacted().cassette
  }
}

extension Request {
  /// Creates the request that a client was given to send.
  package init(_ request: URLRequest) {
    let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    self.init(
      request.httpMethod ?? "GET",
      RequestURL(request.url?.absoluteString ?? ""),
      headers: HeaderFields(fields.map { HeaderField($0.key, $0.value) }),
      body: Body(request.httpBody ?? Data())
    )
  }
}

extension Interaction {
  fileprivate init?(_ entry: CallJournal.Exchange) {
    guard entry.request.url != nil else { return nil }
    let request = Request(entry.request)
    let timing = Timing(firstByte: entry.elapsed, lastByte: entry.elapsed)
    switch entry.outcome {
    case .success(let answer):
      // Content that was passed to a file or a reader is not available.
      if answer.bytesElsewhere != nil { return nil }
      // The content is complete and without its coding, so fields about coding and length do not
      // apply.
      let kept = answer.headers.fields.filter { field in
        !["content-encoding", "content-length", "transfer-encoding"]
          .contains(field.name.lowercased())
      }
      let headers = HeaderFields(kept.map { HeaderField($0.name, $0.value) })
      let response = Response(status: answer.status, headers: headers, body: Body(answer.body))
      self.init(request, .response(response), timing: timing)
    case .failure(.failed(let symptom, let text)):
      self.init(request, .failure(Failure(symptom, text: text)), timing: timing)
    case .failure(.cancelled), .failure(.file): return nil
    }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 13)
