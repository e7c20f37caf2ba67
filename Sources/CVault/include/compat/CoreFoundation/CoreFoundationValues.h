/* The constants of CoreFoundation.h as values, for cgo, which has no static variables. */
#ifndef VAULT_COMPAT_COREFOUNDATIONVALUES_H
#define VAULT_COMPAT_COREFOUNDATIONVALUES_H

#define kCFAllocatorDefault ((CFAllocatorRef)kCFAllocatorDefault)
#define kCFAllocatorSystemDefault ((CFAllocatorRef)kCFAllocatorSystemDefault)
#define kCFAllocatorMalloc ((CFAllocatorRef)kCFAllocatorMalloc)
#define kCFAllocatorNull ((CFAllocatorRef)kCFAllocatorNull)
#define kCFNull ((CFNullRef)kCFNull)
#define kCFBooleanTrue ((CFBooleanRef)kCFBooleanTrue)
#define kCFBooleanFalse ((CFBooleanRef)kCFBooleanFalse)
#define kCFErrorDomainOSStatus ((CFStringRef)kCFErrorDomainOSStatus)
#define kCFErrorLocalizedDescriptionKey ((CFStringRef)kCFErrorLocalizedDescriptionKey)

#endif
