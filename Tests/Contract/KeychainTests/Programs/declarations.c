/* Declares things as headers for Apple's systems do, and as programs that include them. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#include <TargetConditionals.h>
#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/CFAvailability.h>
#include <Security/Security.h>

CF_ASSUME_NONNULL_BEGIN
CF_EXTERN_C_BEGIN

typedef CF_ENUM(CFIndex, Colour) { ColourRed, ColourBlue = 7 };
typedef CF_OPTIONS(CFOptionFlags, Marks) { MarkFirst = 1 << 0, MarkSecond = 1 << 1 };
typedef CF_CLOSED_ENUM(UInt8, Size) { SizeSmall };
CF_ENUM(OSStatus) { statusOfOwn = -1 };

CF_EXPORT CFStringRef _Nullable copy_name(CFTypeRef _Nonnull object) CF_RETURNS_RETAINED;
CF_EXPORT void give_up(CFTypeRef CF_CONSUMED object) CF_AVAILABLE(10_7, 5_0);

CF_EXTERN_C_END
CF_ASSUME_NONNULL_END

CF_INLINE Boolean is_blue(Colour colour) { return colour == ColourBlue; }

CFStringRef copy_name(CFTypeRef object) { return CFCopyDescription(object); }

void give_up(CFTypeRef object) { CFRelease(object); }

int main(void) {
#if TARGET_OS_MAC || TARGET_OS_IPHONE
  return 9;
#else
  const Colour colour = ColourBlue;
  const Marks marks = MarkFirst | MarkSecond;
  const Size size = SizeSmall;
  CFStringRef name = copy_name(kSecClass);
  const Boolean is_known = CFEqual(name, CFSTR("class"));
  give_up(name);
  return is_blue(colour) && marks == 3 && size == 0 && statusOfOwn == -1 && is_known ? 0 : 1;
#endif
}
