internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension Call {
  /// Answers out of the cache where that may be, and asks where it may not.
  func throughCache(_ request: URLRequest) async -> CallEnd {
    guard let cache = client.cache, endpoint.caching == .byHeaders else {
      return await shared(request)
    }
    let generation = cache.generation
    let kept: CachedAnswer
    switch cache.find(request, at: client.time.date) {
    case .nothing:
      return await asked(request, keepingIn: cache, generation)
    case .fresh(let found):
      if !isRevalidation {
        tell(.foundInCache(.fresh))
        return CallEnd(.success(found.answer(.cache)))
      }
      kept = found
    case .staleWhileRevalidating(let found):
      if !isRevalidation, revalidates(found.key) {
        tell(.foundInCache(.staleWhileRevalidating))
        return CallEnd(.success(found.answer(.stale)))
      }
      kept = found
    case .stale(let found):
      kept = found
    }
    tell(.foundInCache(.stale))
    return await confirmed(kept, request, in: cache, generation)
  }

  /// Has a newer answer fetched by nobody who waits; false where nobody would do it. One at a time is
  /// enough.
  private func revalidates(_ key: String) -> Bool {
    var endpoint = endpoint
    endpoint.priority = .deferrable
    return client.revalidations.launch(for: key) { [client, endpoint] in
      _ = await Call(client, endpoint, isRevalidation: true).run()
    }
  }

  private func asked(
    _ request: URLRequest,
    keepingIn cache: ResponseCache,
    _ generation: Int
  ) async -> CallEnd {
    let end = await shared(request)
    guard case .success(let answer) = end.result else { return end }
    if let kept = CachedAnswer(answer, to: request, at: client.time.date) {
      cache.keep(kept, generation: generation)
    } else if !["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.httpMethod) {
      cache.invalidate(request.url)
    }
    return end
  }

  /// Asks whether a stale answer is still good, and shows it if the server cannot be had and that is
  /// granted.
  private func confirmed(
    _ kept: CachedAnswer,
    _ request: URLRequest,
    in cache: ResponseCache,
    _ generation: Int
  ) async -> CallEnd {
    let question = kept.question(request)
    var end = await shared(question ?? request)
    let now = client.time.date
    switch end.result {
    case .success(let answer) where answer.status == 304 && question != nil:
      let confirmed = kept.confirmed(by: answer, at: now)
      cache.keep(confirmed, generation: generation)
      end.result = .success(confirmed.answer(.revalidated, attempts: end.attempts))
    case .success(let answer):
      if let new = CachedAnswer(answer, to: request, at: now) {
        cache.keep(new, generation: generation)
      }
    case .failure(var error):
      // A server that takes too long is absent, too.
      if error == .cancelled, deadline?.hasPassed ?? false, let limit = client.limits.deadline {
        error = .deadlinePassed(limit)
      }
      if cache.mayStandIn(kept, for: error, at: now) {
        end.result = .success(kept.answer(.stale, attempts: end.attempts))
      }
    }
    return end
  }
}
