import '../shell/browser/content-policy.ts';
import '../shell/page/mantine.css';
// One style sheet per feature; at equal specificity the later sheet wins.
import '../shell/page/tokens.css';
import '../shell/page/page.css';
import './header.css';
import '../shell/page/grid.css';
import '../why/overview/overview.css';
import '../stage/episode/stage.css';
import '../why/overview/large-run.css';
import '../shell/page/part.css';
import '../stage/episode/where.css';
import '../stage/episode/transport.css';
import '../stage/episode/play.css';
import '../shell/episode/dialogue.css';
import '../charts/charts.css';
import '../charts/first-charts.css';
import '../charts/inside.css';
import '../shell/notices/notices.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { takeDrops } from '../shelf/logs/drop-anywhere.ts';
import { addressPart } from '../shell/address/address.ts';
import { embeddedParts } from '../shell/address/embedded.ts';
import { restrictCode } from '../shell/code/allowed.ts';
import { keepForOffline } from '../shell/comfort/offline.ts';
import { loadedLater, watchForMissingParts } from '../shell/comfort/release.ts';
import { keptScheme } from '../shell/comfort/scheme.ts';
import { openLanguage, useLanguage } from '../shell/language/store.ts';
import { WholePage } from '../shell/page/part.tsx';
import { theme } from '../shell/page/theme.ts';
import { App } from './app.tsx';
import { whenSeen } from './embedded/when-seen.ts';
import { openLab } from './opening.ts';
import { offerTestApi } from './test-api.ts';

const Embedded = loadedLater(async () => (await import('./embedded/page.tsx')).EmbeddedPage);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');

offerTestApi();
restrictCode();
keepForOffline();
watchForMissingParts();
const embedded = embeddedParts() !== null;
if (embedded) void whenSeen().then(openLab);
else {
  takeDrops();
  void openLab();
}

/** Elements are translated when they are created, so a change of language re-creates the whole page. */
function Page() {
  const language = useLanguage((state) => state.language);
  return (
    <WholePage key={language}>
      <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={keptScheme()}>
        {embedded ? (
          <Suspense>
            <Embedded />
          </Suspense>
        ) : (
          <App />
        )}
      </MantineProvider>
    </WholePage>
  );
}

void openLanguage(addressPart(location)).then(() =>
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  ),
);
