import './browser/content-policy.ts';
import './page/mantine.css';
// A sheet beside each feature; of rules that weigh the same the later sheet's counts.
import './page/page.css';
import './header/header.css';
import './page/grid.css';
import './overview/overview.css';
import './episode/stage.css';
import './overview/large-run.css';
import './page/part.css';
import './episode/where.css';
import './episode/transport.css';
import './episode/play.css';
import './episode/dialogue.css';
import './charts/charts.css';
import './charts/inside.css';
import './settings/settings.css';
import './notices/notices.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepForOffline } from './comfort/offline.ts';
import { watchForMissingParts } from './comfort/release.ts';
import { keptScheme } from './comfort/scheme.ts';
import { openLab } from './lab/opening.ts';
import { takeDrops } from './logs/drop-anywhere.ts';
import { WholePage } from './page/part.tsx';
import { theme } from './page/theme.ts';
import { offerTestApi } from './test-api.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');

offerTestApi();
keepForOffline();
watchForMissingParts();
takeDrops();
void openLab();
createRoot(root).render(
  <StrictMode>
    <WholePage>
      <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={keptScheme()}>
        <App />
      </MantineProvider>
    </WholePage>
  </StrictMode>,
);
