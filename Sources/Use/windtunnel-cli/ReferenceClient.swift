// The reference client in the tool. A build without that client only judges other clients. It has
// no search, which runs the reference client (`Scripts/development/without-wing Client`).

#if canImport(WindTunnelReferenceSubject)
  @_exported public import WindTunnelReferenceSubject

  enum ReferenceClient {
    static let subjects: [DrillSubject] = [.reference]
    static let engines = DrillSubject.referenceEngines
    static let name = ReferenceFlow.name
    static let flow: (@Sendable (Cassette) -> Flow)? = { cassette in
      let flow = ReferenceFlow(cassette)
      return { try await flow.run($0) }
    }
  }
#else
  enum ReferenceClient {
    static let subjects: [DrillSubject] = []
    static let engines: [DrillSubject] = []
    static let name = "none"
    static let flow: (@Sendable (Cassette) -> Flow)? = nil
  }
#endif

extension ReferenceClient {
  /// Sends the requests of a cassette in a call, and returns the bodies of their responses.
  typealias Flow = @Sendable (DrillCall) async throws -> [Data]
}
