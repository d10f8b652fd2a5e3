/** How to enable WebGPU, by browser and platform. */

export type Browser = 'Chrome' | 'Edge' | 'Firefox' | 'Safari' | 'another browser';
type Platform = 'Windows' | 'macOS' | 'Linux' | 'Android' | 'iOS' | 'ChromeOS' | 'unknown';

interface WebGpuAdvice {
  readonly browser: Browser;
  readonly platform: Platform;
  /** The most promising first. */
  readonly steps: readonly string[];
}

/** The browser's name in a user agent string. Edge also calls itself Chrome, Chrome also Safari. */
export function browserOf(userAgent: string): Browser {
  if (/\bEdgA?\/|\bEdgiOS\//.test(userAgent)) return 'Edge';
  if (/\bFirefox\/|\bFxiOS\//.test(userAgent)) return 'Firefox';
  if (/\bOPR\/|\bSamsungBrowser\//.test(userAgent)) return 'another browser';
  if (/Chrome\/|\bCriOS\/|\bChromium\//.test(userAgent)) return 'Chrome';
  if (/\bSafari\//.test(userAgent)) return 'Safari';
  return 'another browser';
}

/**
 * The platform in a user agent string. Android also calls itself Linux, and an iPad a Mac.
 *
 * @param touchPoints `navigator.maxTouchPoints`: no Mac has a touch screen
 */
export function platformOf(userAgent: string, touchPoints: number): Platform {
  if (/\biPhone\b|\biPad\b|\biPod\b/.test(userAgent)) return 'iOS';
  if (/\bMacintosh\b/.test(userAgent) && touchPoints > 1) return 'iOS';
  if (/\bAndroid\b/.test(userAgent)) return 'Android';
  if (/\bCrOS\b/.test(userAgent)) return 'ChromeOS';
  if (/\bWindows\b/.test(userAgent)) return 'Windows';
  if (/\bMac OS X\b|\bMacintosh\b/.test(userAgent)) return 'macOS';
  if (/\bLinux\b|\bX11\b/.test(userAgent)) return 'Linux';
  return 'unknown';
}

/**
 * @param secure `window.isSecureContext`: browsers hide WebGPU from plain http pages
 * @param offered whether `navigator.gpu` exists (then only the adapter is missing)
 */
export function webGpuAdvice(
  { userAgent, maxTouchPoints }: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>,
  secure: boolean,
  offered: boolean,
): WebGpuAdvice {
  const browser = browserOf(userAgent);
  const platform = platformOf(userAgent, maxTouchPoints);
  const steps: string[] = [];
  if (!secure) {
    steps.push(
      'Open this page over https, or from localhost: browsers hide WebGPU from plain http pages.',
    );
  }
  if (platform === 'iOS') {
    steps.push('Update to iOS or iPadOS 26 or newer: every browser there uses Safari’s WebGPU.');
    return { browser, platform, steps };
  }
  switch (browser) {
    case 'Chrome':
    case 'Edge': {
      const scheme = browser === 'Edge' ? 'edge' : 'chrome';
      if (!offered) {
        steps.push(
          platform === 'Android'
            ? `Update ${browser} to version 121 or newer, on Android 12 or newer.`
            : `Update ${browser} to version 113 or newer.`,
        );
      }
      if (platform !== 'Android') {
        steps.push(
          `Switch on “Use graphics acceleration when available” in ${scheme}://settings/system.`,
        );
      }
      if (platform === 'Linux') {
        steps.push(
          `Set ${scheme}://flags/#enable-unsafe-webgpu and ${scheme}://flags/#enable-vulkan to Enabled, then relaunch.`,
          'Install a Vulkan driver for your GPU (for Intel and AMD the package mesa-vulkan-drivers).',
        );
      } else {
        steps.push(
          `Update the graphics driver. If the GPU is on the browser’s blocklist, set ${scheme}://flags/#enable-unsafe-webgpu to Enabled and relaunch.`,
        );
      }
      steps.push(`Check the WebGPU entry on ${scheme}://gpu.`);
      break;
    }
    case 'Firefox':
      if (platform === 'Windows') {
        steps.push('Update Firefox to version 141 or newer.');
      } else if (platform === 'macOS') {
        steps.push('Update Firefox to version 145 or newer, on a Mac with Apple silicon.');
      } else {
        steps.push(
          'Open about:config, set dom.webgpu.enabled to true and restart; Firefox Nightly has it on by default.',
        );
      }
      steps.push('Or open this page in Chrome or Edge.');
      break;
    case 'Safari':
      steps.push(
        'Update to macOS 26 with Safari 26 or newer.',
        'On an older macOS: Safari, Settings, Feature Flags, switch on WebGPU and reload.',
        'Or open this page in Chrome or Edge.',
      );
      break;
    case 'another browser':
      steps.push('Open this page in a current Chrome or Edge.');
      break;
    default:
      browser satisfies never;
  }
  return { browser, platform, steps };
}
