import { DetailCharts, SuccessChart } from './charts/charts.tsx';
import { Stage } from './episode/stage.tsx';
import { Header } from './header.tsx';
import { ErrorNotice, WithoutGpu } from './notices.tsx';
import { Overview } from './overview.tsx';
import { Settings } from './settings.tsx';
import { useLab } from './store.ts';

export function App() {
  const withoutGpu = useLab((lab) => lab.withoutGpu);
  return (
    <>
      <Header />
      <main className={withoutGpu ? 'page page-without' : 'page'}>
        {withoutGpu ? <WithoutGpu /> : <Overview />}
        <ErrorNotice />
        <Stage />
        {withoutGpu ? null : (
          <>
            <SuccessChart />
            <DetailCharts />
          </>
        )}
      </main>
      <Settings />
    </>
  );
}
