#include "CWindTunnelSystem.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

// FIPS 180-4 §4.2.2.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// A host's debug build calls each function, however small, so the rounds are macros; and it takes the
// builtin for the one instruction that it is.
#define ROTATED(value, count) __builtin_rotateright32(value, count)

// FIPS 180-4 §6.2.2 step 3, with the letters in their places for this round, so that none is moved.
#define ROUND(a, b, c, d, e, f, g, h, index)                                                       \
  do {                                                                                             \
    uint32_t first = h + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + (g ^ (e & (f ^ g))) + \
                     constants[index] + schedule[index];                                           \
    d += first;                                                                                    \
    h = first + (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & b) | (c & (a | b)));     \
  } while (0)

static void compress_in_words(uint32_t *state, const uint8_t *blocks, size_t count) {
  uint32_t schedule[64];
  for (; count > 0; count--, blocks += 64) {
    for (int i = 0; i < 16; i++) {
      const uint8_t *word = blocks + i * 4;
      schedule[i] =
          (uint32_t)word[0] << 24 | (uint32_t)word[1] << 16 | (uint32_t)word[2] << 8 | word[3];
    }
    for (int i = 16; i < 64; i++) {
      uint32_t early = schedule[i - 15], late = schedule[i - 2];
      schedule[i] = schedule[i - 16] + (ROTATED(early, 7) ^ ROTATED(early, 18) ^ early >> 3) +
                    schedule[i - 7] + (ROTATED(late, 17) ^ ROTATED(late, 19) ^ late >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i += 8) {
      ROUND(a, b, c, d, e, f, g, h, i);
      ROUND(h, a, b, c, d, e, f, g, i + 1);
      ROUND(g, h, a, b, c, d, e, f, i + 2);
      ROUND(f, g, h, a, b, c, d, e, i + 3);
      ROUND(e, f, g, h, a, b, c, d, i + 4);
      ROUND(d, e, f, g, h, a, b, c, i + 5);
      ROUND(c, d, e, f, g, h, a, b, i + 6);
      ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

#if defined(__x86_64__)

// Two rounds of FIPS 180-4 §6.2.2 in an instruction (Intel SDM, SHA256RNDS2), which has the letters
// in the order a b e f and c d g h, the first in the highest place.
__attribute__((target("sha,sse4.1,ssse3")))
static void compress_by_instructions(uint32_t *state, const uint8_t *blocks, size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i first = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  __m128i last = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(first, last, 8);
  __m128i cdgh = _mm_blend_epi16(last, first, 0xf0);
  for (; count > 0; count--, blocks += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; i++) {
      words[i] = _mm_loadu_si128((const __m128i *)(blocks + 16 * i));
      words[i] = _mm_shuffle_epi8(words[i], big_endian);
    }
    for (int i = 0; i < 16; i++) {
      const __m128i now = words[i % 4], later = words[(i + 3) % 4];
      __m128i sums = _mm_add_epi32(now, _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
      // Four further words of the schedule; those of the last four turns nobody needs.
      __m128i next = _mm_sha256msg1_epu32(now, words[(i + 1) % 4]);
      next = _mm_add_epi32(next, _mm_alignr_epi8(later, words[(i + 2) % 4], 4));
      words[i % 4] = _mm_sha256msg2_epu32(next, later);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  first = _mm_shuffle_epi32(abef, 0x1b);
  last = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(first, last, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(last, first, 8));
}

// CPUID: leaf 1, ECX bits 9 (SSSE3) and 19 (SSE4.1); leaf 7, EBX bit 29 (SHA).
static bool has_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 9 & 1) || !(c >> 19 & 1)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
}

static void compress(uint32_t *state, const uint8_t *blocks, size_t count) {
  // 0: nobody has looked. Whoever looks at the same time finds the same.
  static _Atomic int known;
  if (known == 0) known = has_instructions() ? 1 : 2;
  if (known == 1) return compress_by_instructions(state, blocks, count);
  compress_in_words(state, blocks, count);
}

#else

static void compress(uint32_t *state, const uint8_t *blocks, size_t count) {
  compress_in_words(state, blocks, count);
}

#endif

void wt_sha256_compress_in_words(uint32_t *state, const uint8_t *blocks, size_t count) {
  compress_in_words(state, blocks, count);
}

void wt_sha256_begin(struct wt_sha256 *digest) {
  // FIPS 180-4 §5.3.3.
  *digest = (struct wt_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                         0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void wt_sha256_update(struct wt_sha256 *digest, const uint8_t *bytes, size_t count) {
  // An empty buffer may have no address.
  if (count == 0) return;
  size_t pending = digest->count % 64;
  digest->count += count;
  if (pending > 0) {
    size_t missing = 64 - pending;
    if (count < missing) missing = count;
    memcpy(digest->pending + pending, bytes, missing);
    if (pending + missing < 64) return;
    compress(digest->state, digest->pending, 1);
    bytes += missing;
    count -= missing;
  }
  compress(digest->state, bytes, count / 64);
  if (count % 64 > 0) memcpy(digest->pending, bytes + count / 64 * 64, count % 64);
}

void wt_sha256_end(struct wt_sha256 *digest, uint8_t *out) {
  // FIPS 180-4 §5.1.1: a one bit, zeros, and the length in bits that ends a block.
  static const uint8_t padding[64] = {0x80};
  uint64_t bits = digest->count * 8;
  size_t pending = digest->count % 64;
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - i * 8));
  wt_sha256_update(digest, padding, pending < 56 ? 56 - pending : 120 - pending);
  wt_sha256_update(digest, length, 8);
  for (int i = 0; i < 32; i++) out[i] = (uint8_t)(digest->state[i / 4] >> (24 - i % 4 * 8));
}
