public import WindTunnel
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

extension CallJournal {
  /// Returns the requests and their answers, the oldest first, as a cassette: a report from the
  /// field becomes a fixture.
  ///
  /// Secrets are replaced as in a recording, by the standard rules. Attempts that were cancelled
  /// are left out, and so is what cannot be looked into for secrets.
  public func cassette() -> Cassette {
    Cassette(entries.compactMap(Interaction.init)).redacted().cassette
  }
}

extension Request {
  /// Creates the request that a client was asked to send.
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
  fileprivate init?(_ entry: CallJournal.Entry) {
    guard entry.request.url != nil else { return nil }
    let request = Request(entry.request)
    let timing = Timing(firstByte: entry.elapsed, lastByte: entry.elapsed)
    switch entry.outcome {
    case .success(let answer):
      // Of content that went to a file or a reader nothing is kept.
      if answer.bytesElsewhere != nil { return nil }
      // The content is there without its coding and as a whole, so what speaks of either is not
      // true of it any more.
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
